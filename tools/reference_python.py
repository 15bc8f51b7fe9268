"""The reference of the Python package, from the docstrings in its sources."""

import ast
from pathlib import Path

SOURCES = Path(__file__).resolve().parent.parent / "apps/python/lanewise"
# Sections: the title, and the place of its names; without names all public ones.
SECTIONS = {
    "lanewise": {"__init__.py": ["sql", "explain", "connection"], "_grep.py": ["grep"]},
    "Connections": {"_connection.py": ["Connection", "Cursor"]},
    "Results": {"_result.py": ["Result"], "_device.py": ["DeviceTable", "DeviceColumn"]},
    "Functions in Python": {"_function.py": ["udf", "Function"]},
    "Ordered indexes": {"_index.py": ["Index"]},
    "lanewise.compute": {"compute.py": []},
    "lanewise.pram": {"pram.py": ["run", "check", "trace", "explain", "widget", "programs", "Run", "Check", "Cost"]},
    "lanewise.graph": {"graph.py": []},
    "lanewise.magic": {"magic.py": ["none"]},
    "lanewise.ibis": {"ibis.py": []},
    "lanewise.ray": {"ray.py": []},
    "lanewise.spark": {"spark.py": []},
    "Errors": {"errors.py": []},
}


def signature(node):
    arguments = ast.unparse(node.args).removeprefix("self, ").removeprefix("cls, ")
    arguments = "" if arguments in ("self", "cls") else arguments
    returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    return f"{node.name}({arguments}){returns}"


def text(node):
    """A docstring as Markdown: doctests become blocks."""
    lines, example = [], False
    for line in (ast.get_docstring(node) or "").splitlines():
        if line.startswith(">>>") and not example:
            lines.append("```pycon")
            example = True
        elif example and not line:
            lines.append("```")
            example = False
        lines.append(line)
    return "\n".join(lines + ["```"] * example)


def is_property(node):
    return any(isinstance(one, ast.Name) and one.id == "property" for one in node.decorator_list)


def function(node, owner=""):
    name = f"{owner}{node.name}" if is_property(node) else f"{owner}{signature(node)}"
    return f"```python\n{name}{f': {ast.unparse(node.returns)}' if is_property(node) and node.returns else ''}\n```\n\n{text(node)}"


def described(node):
    """A function, or a class with its public methods."""
    if isinstance(node, ast.FunctionDef):
        return [function(node)]
    bases = ", ".join(ast.unparse(base) for base in node.bases)
    parts = [f"### {node.name}", (f"*{bases}*: " if bases else "") + text(node)]
    for one in node.body:
        if isinstance(one, ast.FunctionDef) and ast.get_docstring(one) and (not one.name.startswith("_") or one.name in ("__init__", "__len__")):
            parts.append(function(one, f"{node.name}."))
    return parts


def python_page():
    parts = ["# Python", "The names of `import lanewise`. [SQL over data frames](../python.md) is the tutorial. Errors are at the end."]
    for title, files in SECTIONS.items():
        parts.append(f"## {title}")
        for name, wanted in files.items():
            tree = ast.parse((SOURCES / name).read_text())
            if title.startswith("lanewise."):
                parts.append(text(tree))
            nodes = {node.name: node for node in tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and not node.name.startswith("_")}
            for one in wanted or nodes:
                if one in nodes:
                    parts += described(nodes[one])
    return "\n\n".join(parts) + "\n"
