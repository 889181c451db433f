/**
 * The state that one domain keeps. It is made as at the start of a tide, from a closed form, and keeps only what turned
 * out differently since; asking it is cheap, whatever came before.
 */
export interface StatePart {
  /** Keys of all that was changed since the tide began, also where it is now as it was. */
  touched(): Iterable<string>
  /** What is under such a key, as text: for comparing two states. */
  read(key: string): string
}
