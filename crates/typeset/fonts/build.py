#!/usr/bin/env python3
"""Cut the bundled fonts from their upstream files: one weight, the scripts we set, no hinting.

    pip install fonttools fontpkg-cinzel fontpkg-eb-garamond fontpkg-inter fontpkg-fraunces \
        fontpkg-newsreader fontpkg-bricolage-grotesque --target DIR
    npm install --prefix DIR @expo-google-fonts/noto-{sans,sans-arabic,sans-hebrew,sans-symbols-2,emoji}
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
    "noto-emoji-medium": ("noto-emoji", "500Medium/NotoEmoji_500Medium.ttf", {}, None),
}


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
            unicodes=font.getBestCmap() if ranges is None
            else [c for a, b in ranges for c in range(a, b + 1)])
        cutter.subset(font)
        font.save(HERE / f"{name}.ttf")


main(Path(sys.argv[1]))
