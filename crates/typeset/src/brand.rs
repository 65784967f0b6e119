//! A team's brand: its colours and typeface, which replace those of any style, and its signature.

use crate::canvas::{Area, Canvas};
use crate::color::{Color, LEGIBLE, hex};
use crate::compose::{Letters, Voice};
use crate::fonts::Face;
use crate::image::Image;

/// A team's brand, which replaces the colours and typefaces of a style.
#[derive(Debug, Clone, Copy)]
pub struct Brand<'a> {
    /// The sRGB colours. The first is the main colour. If the list is empty, the style keeps its own
    /// colours.
    pub colors: &'a [[u8; 3]],
    /// The font that replaces the typefaces of the style.
    pub font: Option<Font>,
    /// The text of the signature, such as «@cozinha».
    pub signer: Option<&'a str>,
    /// A logo, drawn as a disc next to the signer.
    pub logo: Option<&'a Image>,
}

/// A family of the bundled typefaces: one for headlines and one for running text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Font {
    Cinzel,
    Garamond,
    Inter,
    Fraunces,
    Newsreader,
    Bricolage,
}

impl Font {
    pub const ALL: [Self; 6] = [
        Self::Cinzel,
        Self::Garamond,
        Self::Inter,
        Self::Fraunces,
        Self::Newsreader,
        Self::Bricolage,
    ];

    /// Returns the face, tracking and leading of headlines, followed by the face, tracking and leading
    /// of running text.
    fn typography(self) -> [(Face, f32, f32); 2] {
        match self {
            Self::Cinzel => [(Face::Cinzel, 0.015, 1.2), (Face::Garamond, 0.0, 1.36)],
            Self::Garamond => [(Face::Garamond, -0.005, 1.12), (Face::Garamond, 0.0, 1.36)],
            Self::Inter => [
                (Face::InterDisplay, -0.022, 1.12),
                (Face::Inter, -0.006, 1.46),
            ],
            Self::Fraunces => [(Face::Fraunces, -0.012, 1.12), (Face::Newsreader, 0.0, 1.4)],
            Self::Newsreader => [
                (Face::Newsreader, -0.008, 1.14),
                (Face::Newsreader, 0.0, 1.4),
            ],
            Self::Bricolage => [
                (Face::BricolageExtrabold, -0.012, 1.04),
                (Face::Bricolage, 0.0, 1.36),
            ],
        }
    }

    /// Returns the text styles `own` of a design with the typefaces of this family.
    pub(crate) fn restyle(self, own: Letters) -> Letters {
        let [display, text] = self.typography();
        let set = |voice: Voice, (face, tracking, leading)| Voice {
            face,
            tracking,
            leading,
            ..voice
        };
        Letters {
            display: set(own.display, display),
            text: set(own.text, text),
        }
    }
}

const WHITE: Color = hex(0xFFFFFF);
const BLACK: Color = hex(0x000000);
/// The minimum contrast between the two main colours of a card.
const STRONG: f32 = 7.0;

/// The colours of a brand, with methods that select a colour by its purpose.
#[derive(Debug, Clone)]
pub(crate) struct Scheme {
    main: Color,
    all: Vec<Color>,
}

/// A light background, dark ink, and a colour for shapes and figures.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Palette {
    pub paper: Color,
    pub ink: Color,
    pub accent: Color,
}

impl Scheme {
    /// Creates the scheme of a brand. `None` if the brand has no colours.
    pub(crate) fn from_brand(brand: Option<&Brand>) -> Option<Self> {
        let all: Vec<Color> = brand?.colors.iter().map(|rgb| Color(*rgb)).collect();
        Some(Self {
            main: *all.first()?,
            all,
        })
    }

    fn extreme_color(&self, sign: f32) -> Color {
        let by = |a: &&Color, b: &&Color| {
            let (a, b) = (sign * a.luminance(), sign * b.luminance());
            a.total_cmp(&b)
        };
        self.all.iter().max_by(by).copied().unwrap_or(self.main)
    }

    fn darkest(&self) -> Color {
        self.extreme_color(-1.0)
    }

    fn lightest(&self) -> Color {
        self.extreme_color(1.0)
    }

    /// Returns the most colourful of the colours that satisfy `passes`. Among almost equal colours, the
    /// first one wins.
    fn most_colorful(&self, passes: impl Fn(Color) -> bool) -> Option<Color> {
        let mut best: Option<Color> = None;
        for color in self.all.iter().copied().filter(|color| passes(*color)) {
            if best.is_none_or(|best| color.chroma() > best.chroma() + 0.12) {
                best = Some(color);
            }
        }
        best
    }

    /// Returns a light background and its ink. The background is a pale colour of the brand if there is
    /// one, otherwise white with a little of the main colour.
    pub(crate) fn palette(&self) -> Palette {
        let lightest = self.lightest();
        let is_quiet = lightest.luminance() > 0.68 && lightest.chroma() < 0.28;
        let paper = if is_quiet {
            lightest
        } else {
            WHITE.mix(self.main, 0.06)
        };
        let darkest = self.darkest();
        let far = |color: Color| color.contrast(paper) >= 2.2;
        let other = self.most_colorful(|color| color != darkest && color != paper && far(color));
        let accent = other.or_else(|| self.most_colorful(far));
        let accent = accent.unwrap_or_else(|| self.main.toward_until_legible(BLACK, paper));
        let deep = |part: f32| darkest.mix(BLACK, part);
        let from = if accent == darkest { 5 } else { 0 };
        let inks = (from..=10).map(|step| deep(step as f32 / 10.0));
        let ink = inks.into_iter().find(|ink| ink.contrast(paper) >= STRONG);
        Palette {
            paper,
            ink: ink.unwrap_or(BLACK),
            accent,
        }
    }

    /// Returns a background and its ink. The background is the main colour, changed only as much as the
    /// ink needs to be legible.
    pub(crate) fn ground_and_ink(&self) -> (Color, Color) {
        let inks = [self.darkest(), self.lightest(), WHITE, BLACK];
        let strong = |ink: &&Color| ink.contrast(self.main) >= LEGIBLE + 0.5;
        let own = inks[..2].iter().find(strong).copied();
        let ink = own.unwrap_or_else(|| {
            let better =
                |a: &&Color, b: &&Color| a.contrast(self.main).total_cmp(&b.contrast(self.main));
            inks.iter().max_by(better).copied().unwrap_or(WHITE)
        });
        let away = if ink.luminance() > self.main.luminance() {
            BLACK
        } else {
            WHITE
        };
        let moved = (0..=20).map(|step| self.main.mix(away, step as f32 / 20.0));
        let ground = moved
            .into_iter()
            .find(|ground| ground.contrast(ink) >= LEGIBLE + 0.4);
        (ground.unwrap_or(away), ink)
    }

    /// Returns four ornament colours for a background. At least three of them differ clearly from each
    /// other.
    pub(crate) fn ornament_colors(&self, ground: Color) -> [Color; 4] {
        let related = [
            WHITE.mix(self.main, 0.1),
            BLACK.mix(self.main, 0.35),
            WHITE.mix(self.main, 0.45),
            BLACK.mix(self.main, 0.7),
        ];
        // Neutral colours, used only until three colours are chosen.
        let foreign = [WHITE, BLACK, hex(0x8A8A8A)];
        let mut chosen: Vec<Color> = vec![];
        let own = self.all.iter().copied().chain(related);
        let colors = own.map(|color| (color, 4));
        for (color, most) in colors.chain(foreign.map(|color| (color, 3))) {
            let apart = |other: &Color| other.distance(color) > 0.16;
            if chosen.len() < most && apart(&ground) && chosen.iter().all(apart) {
                chosen.push(color);
            }
        }
        std::array::from_fn(|i| chosen.get(i).or(chosen.first()).copied().unwrap_or(WHITE))
    }

    /// Returns the most colourful colour that is legible on a background, or the ink if no colour is
    /// legible.
    pub(crate) fn legible_color_on(&self, ground: Color, ink: Color) -> Color {
        let read = |color: Color| color != ink && color.contrast(ground) >= LEGIBLE + 0.1;
        self.most_colorful(read).unwrap_or(ink)
    }

    /// Darkens a colour of the brand to at most this luminance.
    pub(crate) fn darken_to(&self, color: Color, most: f32) -> Color {
        let darker = (0..=40).map(|step| color.mix(BLACK, step as f32 / 40.0));
        let found = darker.into_iter().find(|color| color.luminance() <= most);
        found.unwrap_or(BLACK)
    }

    pub(crate) fn main_color(&self) -> Color {
        self.main
    }

    /// Returns the most colourful colour other than the main colour, or the main colour if there is no
    /// other.
    pub(crate) fn second_color(&self) -> Color {
        self.most_colorful(|color| color.distance(self.main) > 0.16 && color.chroma() > 0.12)
            .unwrap_or(self.main)
    }

    /// Returns the lightest colour, lightened further until it stands out from a dark background.
    pub(crate) fn light_color_on(&self, ground: Color) -> Color {
        let lighter = (0..=10).map(|step| self.lightest().mix(WHITE, step as f32 / 10.0));
        let found = lighter
            .into_iter()
            .find(|color| color.contrast(ground) >= 11.0);
        found.unwrap_or(WHITE)
    }

    /// Returns a bright colour for a dark background: the most colourful one, lightened until it is
    /// legible.
    pub(crate) fn bright_color_on(&self, ground: Color) -> Color {
        let read = |color: Color| color.contrast(ground) >= 6.0 && color.chroma() > 0.12;
        self.most_colorful(read).unwrap_or_else(|| {
            let color = self.most_colorful(|_| true).unwrap_or(self.main);
            let lighter = (0..=10).map(|step| color.mix(WHITE, step as f32 / 10.0));
            let found = lighter
                .into_iter()
                .find(|color| color.contrast(ground) >= 6.0);
            found.unwrap_or(WHITE)
        })
    }
}

/// Draws a logo as a disc of this diameter, with a thin ring that separates it from the background.
pub(crate) fn draw_logo(canvas: &mut Canvas, logo: &Image, area: Area, ring: Color) {
    let radius = area.w / 2.0;
    let (x, y) = (area.x + radius, area.y + radius);
    canvas.fill_circle(x, y, radius, ring, 1.0);
    canvas.draw_disc(x, y, radius * 0.94, logo);
}
