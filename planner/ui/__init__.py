"""The web pages: besides app.py the only place that imports streamlit or altair."""
