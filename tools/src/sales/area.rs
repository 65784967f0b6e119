//! Declares the area: its name, its description, its operations, pages and jobs.

use super::{GetCommercialTeamSales, GetSalesSummary};
use gateway::{Area, Entry};

/// The declaration of this area.
pub static AREA: Area = Area::new("sales", "Vendas de um período, da loja à equipe comercial.")
    .operations(&[
        Entry::for_operation::<GetSalesSummary>(),
        Entry::for_operation::<GetCommercialTeamSales>(),
    ]);
