/**
 * Characters that are not seen, or that change how others are: controls, those that turn the direction of writing, those without width, unassigned ones.
 * Line breaks and tabs are none of these, nor is what makes a sign an emoji.
 */
const hidden = /[^\P{C}\n\t]|\p{Zl}|\p{Zp}|(?!\uFE0F)\p{Default_Ignorable_Code_Point}|[\u2800\u{1D159}]/u
const allHidden = new RegExp(hidden.source, 'gu')

/** Whether a text is not what it looks like. */
export function hasHiddenCharacters(text: string): boolean {
  return hidden.test(text)
}

/** The text with what cannot be seen written out: `pay⟨U+202E⟩`. */
export function visibleText(text: string): string {
  return text.replace(
    allHidden,
    (character) => `⟨U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`,
  )
}
