"""Pictures: Altair charts and SVG drawings. No Streamlit."""
