"""Binds a shared library's references to its own functions, as the linker's -Bsymbolic-functions does.

bind_functions.py LIBRARY

The dynamic linker looks up each such reference by name when a program starts: 51,000 in libduckdb, a third of the time of
a short query. Here each becomes a relative relocation, which needs no name. References to data stay as they are: the type of
an exception and the static variables of inline functions must be the same object in the program and in the library.
"""

import struct
import sys
from pathlib import Path

RELOCATION, SYMBOL, SECTION, ENTRY = struct.Struct("<QQq"), struct.Struct("<IBBHQQ"), struct.Struct("<IIQQQQIIQQ"), struct.Struct("<qQ")
R_64, R_GLOB_DAT, R_JUMP_SLOT, R_RELATIVE = 1, 6, 7, 8
DT_PLTRELSZ, DT_RELASZ, DT_JMPREL, DT_RELACOUNT = 2, 8, 23, 0x6FFFFFF9
STT_FUNC = 2


def sections(image):
    """Each section by name: its header's offset, and the header's fields."""
    table, = struct.unpack_from("<Q", image, 0x28)
    size, count, names = struct.unpack_from("<HHH", image, 0x3A)
    headers = [(table + i * size, SECTION.unpack_from(image, table + i * size)) for i in range(count)]
    start = headers[names][1][4]
    return {image[start + fields[0]:image.index(b"\0", start + fields[0])].decode(): (offset, fields) for offset, fields in headers}


def bound(place, info, addend, symbols):
    """The relocation for the dynamic linker."""
    kind, symbol = info & 0xFFFFFFFF, info >> 32
    _, type_and_binding, _, section, value, _ = symbols[symbol]
    if kind in (R_64, R_GLOB_DAT, R_JUMP_SLOT) and section != 0 and type_and_binding & 15 == STT_FUNC:
        return place, R_RELATIVE, value + (addend if kind == R_64 else 0)
    if kind == R_JUMP_SLOT:
        return place, symbol << 32 | R_GLOB_DAT, 0  # a jump's stub names its relocation by position, which changes here
    return place, info, addend


def bind(image):
    found = sections(image)
    (at_data, data), (at_jumps, jumps) = found[".rela.dyn"], found[".rela.plt"]
    start, size, end = data[4], data[5], jumps[4] + jumps[5]
    if start + size != jumps[4] or data[3] + size != jumps[3]:
        sys.exit("bind_functions.py: .rela.plt does not follow .rela.dyn")
    dynsym = found[".dynsym"][1]
    symbols = list(SYMBOL.iter_unpack(image[dynsym[4]:dynsym[4] + dynsym[5]]))
    changed = [bound(*fields, symbols) for fields in RELOCATION.iter_unpack(image[start:end])]
    relative = sorted(fields for fields in changed if fields[1] == R_RELATIVE)
    others = [fields for fields in changed if fields[1] != R_RELATIVE]
    image[start:end] = b"".join(RELOCATION.pack(*fields) for fields in relative + others)

    change = {DT_PLTRELSZ: 0, DT_RELASZ: end - start, DT_JMPREL: data[3] + end - start, DT_RELACOUNT: len(relative)}
    dynamic = found[".dynamic"][1]
    for place in range(dynamic[4], dynamic[4] + dynamic[5], ENTRY.size):
        tag, value = ENTRY.unpack_from(image, place)
        ENTRY.pack_into(image, place, tag, change.get(tag, value))
    for place, fields, moved in ((at_data, data, (data[3], start, end - start)), (at_jumps, jumps, (data[3] + end - start, end, 0))):
        SECTION.pack_into(image, place, *fields[:3], *moved, *fields[6:])


def main():
    source = Path(sys.argv[1])
    image = bytearray(source.read_bytes())
    if image[:6] != b"\x7fELF\x02\x01" or struct.unpack_from("<H", image, 0x12) != (62,):
        sys.exit(f"bind_functions.py: {source} is not a library for x86_64")
    bind(image)
    changed = source.with_suffix(".bound")
    changed.write_bytes(image)
    changed.chmod(source.stat().st_mode)
    changed.replace(source)


if __name__ == "__main__":
    main()
