#!/usr/bin/env python3
"""Cut the bundled fonts from their upstream files: one weight, the scripts we set, no hinting.

    pip install fonttools fontpkg-cinzel fontpkg-eb-garamond fontpkg-inter fontpkg-fraunces \
        fontpkg-newsreader fontpkg-bricolage-grotesque --target DIR
    npm install --prefix DIR @expo-google-fonts/noto-{sans,sans-arabic,sans-hebrew,sans-symbols-2,color-emoji}
    python3 build.py DIR
"""

import shutil
import sys
from pathlib import Path

from fontTools import subset
from fontTools.ttLib import TTFont
from fontTools.varLib import instancer

HERE = Path(__file__).parent
LATIN = [(0x20, 0x7E), (0xA0, 0x24F), (0x2B0, 0x36F), (0x1E00, 0x1EFF), (0x2000, 0x206F),
         (0x2070, 0x209F), (0x20A0, 0x20BF), (0x2100, 0x214F), (0x2190, 0x2199), (0x2200, 0x2265)]
SANS = LATIN + [(0x370, 0x3FF), (0x400, 0x52F), (0x1F00, 0x1FFF)]
SYMBOLS = [(0x2190, 0x21FF), (0x2300, 0x23FF), (0x2460, 0x24FF), (0x2500, 0x27BF), (0x2B00, 0x2BFF)]
ARABIC = [(0x20, 0x20), (0x600, 0x6FF), (0x200C, 0x200F), (0xFE70, 0xFEFC)]
HEBREW = [(0x20, 0x20), (0x590, 0x5FF), (0x200C, 0x200F), (0x20AA, 0x20AA)]
FEATURES = ["kern", "liga", "clig", "calt", "rlig", "mark", "mkmk", "ccmp", "locl",
            "init", "medi", "fina", "isol", "curs"]

# name: (family folder, file, axes, ranges)
FACES = {
    "cinzel-bold": ("cinzel", "Cinzel[wght].ttf", {"wght": 700}, LATIN),
    "eb-garamond-medium": ("eb_garamond", "EBGaramond[wght].ttf", {"wght": 500}, LATIN),
    "inter-display-medium": ("inter", "Inter[opsz,wght].ttf", {"opsz": 32, "wght": 540}, LATIN),
    "inter-regular": ("inter", "Inter[opsz,wght].ttf", {"opsz": 14, "wght": 400}, LATIN),
    "fraunces-semibold": ("fraunces", "Fraunces[SOFT,WONK,opsz,wght].ttf",
                          {"opsz": 120, "wght": 600, "SOFT": 0, "WONK": 0}, LATIN),
    "newsreader-regular": ("newsreader", "Newsreader[opsz,wght].ttf",
                           {"opsz": 24, "wght": 430}, LATIN),
    "bricolage-extrabold": ("bricolage_grotesque", "BricolageGrotesque[opsz,wdth,wght].ttf",
                            {"opsz": 72, "wdth": 92, "wght": 800}, LATIN),
    "bricolage-medium": ("bricolage_grotesque", "BricolageGrotesque[opsz,wdth,wght].ttf",
                         {"opsz": 20, "wdth": 100, "wght": 520}, LATIN),
    "noto-sans-medium": ("noto-sans", "500Medium/NotoSans_500Medium.ttf", {}, SANS),
    "noto-sans-arabic-medium": ("noto-sans-arabic", "500Medium/NotoSansArabic_500Medium.ttf", {}, ARABIC),
    "noto-sans-hebrew-medium": ("noto-sans-hebrew", "500Medium/NotoSansHebrew_500Medium.ttf", {}, HEBREW),
    "noto-sans-symbols": ("noto-sans-symbols-2", "400Regular/NotoSansSymbols2_400Regular.ttf", {}, SYMBOLS),
    "noto-color-emoji": ("noto-color-emoji", "400Regular/NotoColorEmoji_400Regular.ttf", {}, None),
}

# Of the joined emoji: these flags, one person with an object, nothing by gender or skin.
FLAGS = "AO AR BR CL CO CV DE ES FR GB IT JP MX MZ PT PY US UY".split()
PEOPLE = {0x1F466, 0x1F467, 0x1F468, 0x1F469, 0x1F9D1, 0x1F9D2}
# Enclosed letters, skins and hair, clocks, buildings, tags.
RARE = [(0x1F004, 0x1F004), (0x1F0CF, 0x1F0CF), (0x1F170, 0x1F19A), (0x1F201, 0x1F251),
        (0x1F3FB, 0x1F3FF), (0x1F550, 0x1F567), (0x1F5FB, 0x1F5FF), (0x1F9B0, 0x1F9B3),
        (0xE0000, 0xE0FFF)]


def is_kept(emoji: list[int]) -> bool:
    if all(0x1F1E6 <= c <= 0x1F1FF for c in emoji):
        return "".join(chr(c - 0x1F1E6 + 65) for c in emoji) in FLAGS
    if any(a <= c <= b for a, b in RARE for c in emoji):
        return False
    return not {0x1F468, 0x2640, 0x2642} & set(emoji) and sum(c in PEOPLE for c in emoji) < 2


def thin_emoji(font: TTFont) -> list[int]:
    """Drop what is rarely written, and the drawings that are not COLR."""
    for table in ("SVG ", "vmtx", "vhea"):
        del font[table]
    names = {glyph: c for c, glyph in font.getBestCmap().items()}
    for part in font["GSUB"].table.LookupList.Lookup[0].SubTable:
        ligatures = getattr(part, "ExtSubTable", part).ligatures
        for first, following in list(ligatures.items()):
            ligatures[first] = [
                one for one in following
                if is_kept([names.get(glyph, 0) for glyph in [first, *one.Component]])]
            if not ligatures[first]:
                del ligatures[first]
    return [c for c in font.getBestCmap() if not any(a <= c <= b for a, b in RARE)]


def main(source: Path) -> None:
    for name, (family, file, axes, ranges) in FACES.items():
        packaged = source / f"fontpkg_{family}"
        folder = packaged if packaged.exists() else source / "node_modules/@expo-google-fonts" / family
        path = folder / "files" / file if packaged.exists() else folder / file
        licence = folder / ("LICENSE" if packaged.exists() else "LICENSE_FONT")
        shutil.copy(licence, HERE / f"OFL-{family.replace('_', '-')}.txt")
        font = TTFont(path)
        if axes:
            font = instancer.instantiateVariableFont(font, axes)
        options = subset.Options()
        options.hinting = False
        options.layout_features = FEATURES
        options.notdef_outline = True
        options.name_IDs = [0, 1, 2, 4, 6, 13, 14]
        cutter = subset.Subsetter(options)
        cutter.populate(
            unicodes=thin_emoji(font) if ranges is None
            else [c for a, b in ranges for c in range(a, b + 1)])
        cutter.subset(font)
        font.save(HERE / f"{name}.ttf")


main(Path(sys.argv[1]))
