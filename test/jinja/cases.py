#!/usr/bin/python3
"""cases.py - templates with what Jinja2 makes of them, one JSON object on each line.

    cases.py SEED COUNT     the written cases, every feature with every white space control, COUNT generated ones

A line: {"template", "includes", "context", "ok", "text"}. "ok" false: Jinja2 refuses it, and so must we. Where its text
has an address of Python's memory, nobody can print the same: "ok" is false, too.
"""
import copy, datetime, itertools, json, random, re, sys
import warnings
import jinja2

warnings.simplefilter("ignore")

CONTEXT = {
    "name": "Ada Lovelace", "empty": "", "n": 3, "zero": 0, "neg": -7, "big": 123456789012, "f": 2.5, "g": 0.1,
    "h": 1e21, "half": 0.5, "t": True, "no": False, "nothing": None, "text": "one two  three\nfour\n\nfive",
    "html": "<b>\"Tom\" & 'Ann'</b>", "uni": "Größe ÀÉ ﬁn ΣΑΣ 日本 🙂", "long": "word " * 30 + "end", "pad": "  x \t",
    "nums": [3, 1, 2, 10, 2], "mixed": [1, "a", None, 2.5, [1, 2], {"k": "v"}], "words": ["b", "A", "c", "a", "B"],
    "none_list": [], "one": ["only"], "pairs": [["a", 1], ["b", 2]], "d": {"b": 2, "a": 1, "C": "x", "items_": [1]},
    "nested": {"user": {"name": "Bob", "tags": ["x", "y"], "age": 41}, "list": [{"k": 1}, {"k": 2}], "0": "zero"},
    "rows": [{"id": 2, "name": "beta", "done": True}, {"id": 1, "name": "Alpha", "done": False},
             {"id": 3, "name": "gamma", "done": True, "extra": {"z": 1}}], "quote": "it's \"q\" \\ \x01\n\t\u00a0\u2028",
    "dd": {}, "path": "a/b/c.py", "ts": "2026-11-16T17:15:00Z", "digits": " 42 ", "dec": "42.75", "hex": "ff",
    "tree": {"a": {"b": {"c": [1, {"d": "deep"}]}}},
}
INCLUDES = {
    "part.j2": "[{{ name }}|{{ x }}|{{ loop is defined }}]\n", "sub/inner.j2": "{% set x = 9 %}in:{{ x }}{{ item }}",
    "chain.j2": "<{% include 'part.j2' %}>", "broken.j2": "{% if %}", "ws.j2": "\n  {%- if n %}  yes  {% endif %}\n\n",
    "fails.j2": "{{ 1 / 0 }}", "sets.j2": "{% set name = 'changed' %}{{ name }}",
}
NOW = datetime.datetime(2026, 11, 16, 17, 15, 7, 250000, tzinfo=datetime.timezone.utc)

ENV = jinja2.Environment(trim_blocks=True, lstrip_blocks=True, autoescape=False, loader=jinja2.DictLoader(INCLUDES))
ENV.globals["now"] = lambda: NOW
ADDRESS = re.compile(r"0x[0-9a-f]{8,}")


def case(template):
    try:
        text = ENV.from_string(template).render(copy.deepcopy(CONTEXT))
        ok = not ADDRESS.search(text)
    except Exception:
        ok, text = False, ""
    json.dump({"template": template, "ok": ok, "text": text if ok else ""}, sys.stdout, ensure_ascii=True)
    sys.stdout.write("\n")


# ---- every feature with every white space control ------------------------------------------------------

FEATURES = [  # %B and %E: the begin and end of a tag, %P and %Q: of a print, %C and %D: of a comment
    "%B if n %Eyes%B endif %E", "%B if zero %Eno%B elif n %Eelif%B else %Eelse%B endif %E",
    "%B if zero %E\n  a\n%B else %E\n  b\n  %B endif %E", "%B for i in nums %E{{ i }},%B endfor %E",
    "%B for i in nums %E\n  - {{ i }}\n  %B endfor %E", "%B for i in [] %Ex%B else %E none \n%B endfor %E",
    "%B set x = 5 %E\n{{ x }}", "%B set x %E\n body \n%B endset %E({{ x }})", "%P name %Q", "%P n + 1 %Q%P f %Q",
    "%C a comment %D", "%C a\n  comment with {{ x }} and {% if %}\n%D", "%B raw %E\n {{ x }} {% if %} {# c #}\n %B endraw %E",
    "%B include 'part.j2' %E", "%B include 'ws.j2' %E", "%B with a = 1, b = n %E {{ a }}{{ b }} %B endwith %E",
    "%B filter upper %E\n shout \n%B endfilter %E", "%B for k, v in d.items() %E\n {{ k }}={{ v }}\n%B endfor %E",
    "%B if n %E\n%B for i in nums if i > 1 %E\n{{ loop.index }}\n%B endfor %E\n%B endif %E",
]
AROUND = [("", ""), ("a\n  ", "\n  b"), ("  ", "  \n"), ("x ", " y"), ("\n\n\t", "\n\n\n z"), ("é\u00a0", "\u2003\n")]


def spaced(feature, rnd=None):
    left = ["{%", "{%-", "{%+"]
    right = ["%}", "-%}", "+%}"]
    plan = [(left, right)]
    for b, e in itertools.product(range(3), range(3)):
        text = feature
        text = text.replace("%B", left[b]).replace("%E", right[e] if "raw" not in feature or e < 2 else right[e])
        text = text.replace("%P", ["{{", "{{-", "{{+"][b]).replace("%Q", ["}}", "-}}", "}}"][e])
        yield text.replace("%C", ["{#", "{#-", "{#+"][b]).replace("%D", ["#}", "-#}", "+#}"][e])


def systematic():
    for feature in FEATURES:
        for i, text in enumerate(spaced(feature)):
            for before, behind in AROUND:
                yield before + text + behind


# ---- written by hand -----------------------------------------------------------------------------------

HAND = open(__file__.replace("cases.py", "hand.txt"), encoding="utf-8").read().split("\n====\n")

# ---- generated -----------------------------------------------------------------------------------------

ATOMS = ["name", "empty", "n", "zero", "neg", "f", "half", "t", "no", "nothing", "text", "html", "uni", "nums", "mixed",
         "words", "none_list", "one", "pairs", "d", "nested", "rows", "dd", "missing", "1", "2", "0", "3", "-1", "1.5",
         "'s'", '"d\\n"', "'a b'", "true", "false", "none", "[]", "{}", "()", "[1, 2, 3]", "(1, 'x')", "{'k': 1, 'b': [2]}",
         "pad", "quote", "path", "digits", "dec", "long", "range(3)", "range(1, 9, 3)", "nested.user", "rows[0]", "x", "tree"]
NAMES = ["name", "user", "id", "k", "items", "a", "b", "done", "extra", "missing", "tags", "0", "get", "first", "age"]
FILTERS = ["upper", "lower", "title", "capitalize", "trim", "length", "count", "first", "last", "list", "sort", "unique|list",
           "string", "int", "float", "round", "abs", "e", "escape", "safe", "tojson", "wordcount", "reverse|list", "sum",
           "min", "max", "items|list", "default('D')", "d('D', true)", "default", "join(', ')", "join", "join('-', attribute='name')",
           "tojson(indent=2)", "tojson(indent=0)", "truncate(9)", "truncate(12, true)", "truncate(9, false, '!', 0)", "replace('a', 'X')",
           "replace('', '.')", "replace('o', '0', 1)", "indent", "indent(2, true)", "indent(width=3, blank=true)", "indent('> ')",
           "map('upper')|list", "map('string')|join(',')", "map(attribute='name')|list", "map(attribute='id', default=0)|list",
           "select|list", "select('odd')|list", "reject('none')|list", "selectattr('done')|list", "selectattr('id', 'gt', 1)|list",
           "rejectattr('extra', 'defined')|map(attribute='id')|list", "sort(reverse=true)", "sort(attribute='id')|map(attribute='id')|list",
           "sort(case_sensitive=true)", "unique(case_sensitive=true)|list", "batch(2)|list", "batch(2, 'x')|list", "dictsort",
           "dictsort(by='value')", "dictsort(false, 'key', true)", "round(1)", "round(2, 'floor')", "round(-1)", "round(0, 'ceil')",
           "int(7)", "int(0, 16)", "float(1.5)", "center(12)", "trim('x ')", "sum(attribute='id')", "max(attribute='id')", "map('length')|list",
           "first|default('none')", "list|length", "map('int', 5)|list", "map('default', 'x')|list", "reject|list", "map('first')|list"]
TESTS = ["defined", "undefined", "none", "string", "number", "mapping", "iterable", "sequence", "boolean", "integer", "float",
         "true", "false", "odd", "even", "divisibleby 2", "divisibleby(3)", "lower", "upper", "eq 3", "ne none", "gt 1", "lt(2)", "ge 3",
         "le 3", "in nums", "in name", "sameas none", "sameas true", "escaped", "callable", "equalto('s')", "in [1, none]"]
METHODS = ["upper()", "lower()", "title()", "strip()", "split()", "split(' ')", "split('o', 1)", "startswith('A')", "endswith('s')",
           "replace('a', 'b')", "get('a')", "get('zz', 5)", "get('b')", "items()", "keys()", "values()", "items()|list", "keys()|list|sort",
           "count('a')", "count(2)", "index(2)", "find('o')", "splitlines()", "lstrip()", "rstrip('d')", "capitalize()", "join(words)",
           "join(nums)", "isdigit()", "removeprefix('A')", "islower()"]
OPS = ["+", "-", "*", "/", "//", "%", "**", "==", "!=", "<", ">", "<=", ">=", "~", "and", "or", "in", "not in"]


class Grammar:
    def __init__(self, rnd):
        self.r = rnd

    def expr(self, depth=3):
        r = self.r
        k = r.random()
        if depth == 0 or k < 0.18:
            return r.choice(ATOMS)
        if k < 0.45:
            return self.expr(depth - 1) + "|" + r.choice(FILTERS)
        if k < 0.60:
            op = r.choice(OPS)
            left, right = self.expr(depth - 1), self.expr(depth - 1)
            if op in ("**", "*") and r.random() < 0.8:
                left, right = r.choice(["n", "f", "2", "neg"]), r.choice(["2", "3", "0", "half"])
            return (left + " " + op + " " + right) if r.random() < 0.5 else "(" + left + ") " + op + " (" + right + ")"
        if k < 0.66:
            return self.expr(depth - 1) + " is " + ("not " if r.random() < 0.3 else "") + r.choice(TESTS)
        if k < 0.72:
            return self.expr(depth - 1) + " if " + self.expr(depth - 1) + (" else " + self.expr(depth - 1) if r.random() < 0.7 else "")
        if k < 0.80:
            return self.expr(0) + "." + r.choice(NAMES)
        if k < 0.86:
            return self.expr(0) + "." + r.choice(METHODS)
        if k < 0.90:
            return r.choice([a for a in ATOMS if a in CONTEXT]) + "[" + r.choice(["0", "-1", "'name'", "n", "'k'", "99", "1:", ":2", "::2", "::-1", "-2:", "1:3", ":n"]) + "]"
        if k < 0.93:
            return "[" + ", ".join(self.expr(depth - 1) for _ in range(r.randint(0, 3))) + "]"
        if k < 0.95:
            return "{'a': " + self.expr(depth - 1) + ", n: " + self.expr(depth - 1) + "}"
        return r.choice(["not ", "-", "+"]) + self.expr(depth - 1)

    def tag(self, inside):
        r = self.r
        return r.choice(["{%"] * 4 + ["{%-", "{%+"]) + " " + inside + " " + r.choice(["%}"] * 4 + ["-%}", "+%}"])

    def text(self):
        return self.r.choice(["", " ", "\n", "x", "  a\n  ", "\n\n", "b ", "é\n", "\t", "}", "{ ", "\r\n", "- "])

    def block(self, depth):
        return "".join(self.text() + self.piece(depth) for _ in range(self.r.randint(0, 3))) + self.text()

    def piece(self, depth):
        r = self.r
        k = r.random()
        if depth == 0 or k < 0.5:
            return r.choice(["{{", "{{", "{{-"]) + " " + self.expr(2) + " " + r.choice(["}}", "}}", "-}}"])
        t = self.tag
        if k < 0.62:
            s = t("if " + self.expr(2)) + self.block(depth - 1)
            if r.random() < 0.3:
                s += t("elif " + self.expr(1)) + self.block(depth - 1)
            if r.random() < 0.5:
                s += t("else") + self.block(depth - 1)
            return s + t("endif")
        if k < 0.80:
            target = r.choice(["x", "x", "i", "k, v", "a, b"])
            source = r.choice(["d.items()", "d|dictsort", "pairs"]) if "," in target and r.random() < 0.8 else self.expr(1)
            s = t("for " + target + " in " + source + (" if " + self.expr(1) if r.random() < 0.2 else ""))
            s += self.block(depth - 1)
            if r.random() < 0.6:
                s += "{{ loop." + r.choice(["index", "index0", "first", "last", "length", "revindex", "revindex0", "previtem",
                                            "nextitem", "depth", "cycle('a', 'b')", "changed(x)", "nope"]) + " }}"
            if r.random() < 0.3:
                s += t("else") + self.block(depth - 1)
            return s + t("endfor")
        if k < 0.88:
            return t("set " + r.choice(["x = ", "y = ", "name = ", "a, b = ", "n, words = "]) + self.expr(2))
        if k < 0.90:
            return t("set x" + r.choice(["", "", " | upper", " | trim | length"])) + self.block(depth - 1) + t("endset")
        if k < 0.92:
            return t("with x = " + self.expr(1) + r.choice(["", ", y = x"])) + self.block(depth - 1) + t("endwith")
        if k < 0.94:
            return t("filter " + r.choice(["upper", "trim", "replace('a', 'b')|lower", "indent(2)", "length", "e"])) + self.block(depth - 1) + t("endfilter")
        if k < 0.97:
            return t("include " + r.choice(["'part.j2'", "'sub/inner.j2'", "'chain.j2'", "'ws.j2'", "'sets.j2'", "['none.j2', 'part.j2']",
                                            "'none.j2' ignore missing", "'part.j2' without context", "'sub/inner.j2' with context",
                                            "'none.j2'", "'fails.j2'", "'broken.j2'"]))
        if k < 0.98:
            return t("raw").replace("{%+", "{%").replace("+%}", "%}") + r.choice([" {{ x }} ", "\n{% if %}\n", "{# "]) + t("endraw")
        return r.choice(["{#", "{#-", "{#+"]) + r.choice([" c ", "", "\n", " {{ "]) + r.choice(["#}", "-#}", "+#}"])

    def template(self):
        s = self.block(3)
        if self.r.random() < 0.06 and s:  # damaged
            i = self.r.randrange(len(s))
            s = s[:i] + self.r.choice(["", "{", "}", "%}", "'", "(", "|", "-", "{% else %}", "{% endif %}"]) + s[i + self.r.randint(0, 2):]
        return s


def main():
    seed, count = int(sys.argv[1]), int(sys.argv[2])
    json.dump({"context": CONTEXT, "includes": INCLUDES, "now": int(NOW.timestamp() * 1000)}, sys.stdout)
    sys.stdout.write("\n")
    rnd = random.Random(seed)
    whole = list(systematic())
    for template in HAND:
        case(template)
    for template in whole if len(sys.argv) > 3 else rnd.sample(whole, 600):
        case(template)
    grammar = Grammar(rnd)
    for _ in range(count):
        case(grammar.template())


main()
