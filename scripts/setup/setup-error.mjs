/** A reason not to start that a person can act on; its message says how, and is all that is shown. */
export class SetupError extends Error {}
