/** Begins on the element that names this module. */
export function attach() {}
