"""What the pages say and show: frames, sentences, headings."""
