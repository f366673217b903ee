"""Tables as the command prints them."""


def rows_of(text):
    """Lines of a text, each with what follows further in, in the lines below."""
    rows = []
    for line in text.splitlines():
        if rows and line.startswith(" " * 12):
            rows[-1] += " " + line.lstrip()
        else:
            rows.append(line)
    return rows
