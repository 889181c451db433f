/** Scripts that write no spaces between words: a character is already half a word. */
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u

/** Runs of letters and digits. What is between them carries no meaning for a search. */
const runs = /[\p{L}\p{N}]+/gu

/**
 * The pieces by which two texts are found to be alike: of words three letters at a time, with the ends marked, so that `transfers`
 * finds `transfer`; of Chinese and other scripts without spaces one and two characters at a time.
 */
export function nGrams(text: string): string[] {
  return [...text.normalize('NFKC').toLowerCase().matchAll(runs)].flatMap(([run]) =>
    splitByScript(run).flatMap((part) => (unspaced.test(part) ? pairsOf(part) : triplesOf(part))),
  )
}

/** `转账transfer` is a Chinese word and an English one. */
function splitByScript(run: string): string[] {
  const parts: string[] = []
  let wasUnspaced: boolean | undefined
  for (const character of run) {
    const isUnspaced = unspaced.test(character)
    if (isUnspaced === wasUnspaced) parts[parts.length - 1] += character
    else parts.push(character)
    wasUnspaced = isUnspaced
  }
  return parts
}

function pairsOf(part: string): string[] {
  const characters = Array.from(part)
  return [...characters, ...characters.slice(1).map((character, i) => `${characters[i] ?? ''}${character}`)]
}

function triplesOf(word: string): string[] {
  const characters = ['<', ...Array.from(word), '>']
  return characters.slice(2).map((_, i) => characters.slice(i, i + 3).join(''))
}

/** How alike two texts are, from 0 to 1: twice the pieces they share, over all pieces of both. */
export function likeness(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  if (a.size + b.size === 0) return 0
  return (2 * a.intersection(b).size) / (a.size + b.size)
}
