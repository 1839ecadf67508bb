"""SQL/XML: what is built, tested and taken apart, and XMLTABLE."""
