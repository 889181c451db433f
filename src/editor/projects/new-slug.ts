import { randomInt } from 'node:crypto'

const letters = 'abcdefghijkmnpqrstuvwxyz23456789'

/** Nobody comes upon the slug of another by trying: 32^10 of each name. Letters that look like others are not among them. */
const randomLength = 10

/** What links call a project: its name, as far as that is Latin, and ten random letters from a secure source. At most 51 characters of a-z, 0-9 and dashes. */
export function newSlug(name: string): string {
  const plain = name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
  const words = plain.replaceAll(/^-|-$/g, '').slice(0, 40).replace(/-$/, '')
  const random = Array.from({ length: randomLength }, () => letters[randomInt(letters.length)]).join('')
  return `${words === '' ? 'project' : words}-${random}`
}
