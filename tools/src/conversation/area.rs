//! Declares the area: its name, its description and its operations.

use super::{
    AddGuestRemark, AddRemark, ListRemarks, NOT_YOUR_REMARK, RemoveGuestRemark, RemoveRemark,
    TOO_MANY_REMARKS, UpdateGuestRemark, UpdateRemark,
};
use gateway::{Area, Entry};

/// The declaration of this area.
pub static AREA: Area = Area::new(
    "conversation",
    "Comentários nas peças: conversas, menções e o que falta ajustar.",
)
.codes(&[TOO_MANY_REMARKS, NOT_YOUR_REMARK])
.operations(&[
    Entry::for_operation::<ListRemarks>(),
    Entry::for_operation::<AddRemark>(),
    Entry::for_operation::<UpdateRemark>(),
    Entry::for_operation::<RemoveRemark>(),
    Entry::for_operation::<AddGuestRemark>(),
    Entry::for_operation::<UpdateGuestRemark>(),
    Entry::for_operation::<RemoveGuestRemark>(),
]);
