//! The area: what it is called and what it offers.

use super::{GetCommercialTeamSales, GetSalesSummary};
use gateway::{Area, Entry};

/// The area of these operations.
pub static AREA: Area = Area::new("sales", "Vendas de um período, da loja à equipe comercial.")
    .operations(&[
        Entry::of::<GetSalesSummary>(),
        Entry::of::<GetCommercialTeamSales>(),
    ]);
