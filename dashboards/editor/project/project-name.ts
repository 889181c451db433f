const most = 100
const unseen = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Noncharacter_Code_Point}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u

/** Says what is wrong with the name of a project, by the rules of the service that keeps it; undefined for a good one. */
export function nameProblem(name: string): string | undefined {
  if (name.trim() === '') return 'Give it a name.'
  if (name.length > most) return `A name has at most ${most} characters.`
  if (unseen.test(name)) return 'The name has a character that cannot be shown.'
  return /[\p{L}\p{N}\p{P}\p{S}]/u.test(name) ? undefined : 'The name has nothing that can be seen.'
}

/** What a copy is called: whole characters, as many as a name may have. */
export function forkName(name: string): string {
  let whole = ''
  for (const character of `Fork of ${name}`) {
    if (whole.length + character.length > most) break
    whole += character
  }
  return whole.trimEnd()
}
