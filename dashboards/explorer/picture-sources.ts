/** Where pictures on IPFS are had from where the server names no gateways, the first one first. */
const builtIn = ['https://ipfs.io/ipfs/', 'https://dweb.link/ipfs/']

/** The gateways that the server has put into the page. */
export function readGateways(html: Document): readonly string[] {
  const content = html.querySelector<HTMLMetaElement>('meta[name=ipfs-gateways]')?.content.split(' ') ?? []
  const named = content.filter((address) => address.startsWith('https://'))
  return named.length > 0 ? named : builtIn
}

const inline = /^data:image\/(?:png|jpeg|gif|webp|avif|svg\+xml)[;,]/i

/**
 * Where a picture may be had, the likeliest first: by HTTPS, from IPFS by gateways, or out of the source itself.
 * Nothing else is asked for: no other scheme, nothing that carries a password. What is drawn in a source is shown as
 * a picture, in which no script runs and which asks nobody for anything.
 */
export function pictureSources(source: string | null, gateways: readonly string[]): readonly string[] {
  if (source === null) return []
  if (inline.test(source)) return [source]
  const content = /^ipfs:\/\/(?:ipfs\/)?(.+)$/i.exec(source)?.[1]
  if (content !== undefined) return contentAddresses(content, gateways)
  if (!URL.canParse(source)) return []
  const { protocol, username, password, href } = new URL(source)
  return protocol === 'https:' && username === '' && password === '' ? [href] : []
}

function contentAddresses(content: string, gateways: readonly string[]): readonly string[] {
  const [path = ''] = content.split(/[?#]/)
  const parts = path.split('/').map(decoded)
  // Two dots would lead to other places of the gateway.
  if (parts.some((part) => part === undefined || part === '.' || part === '..' || /[/\\\p{Cc}]/u.test(part))) return []
  const address = parts.map((part) => encodeURIComponent(part ?? '')).join('/')
  return gateways.map((gateway) => `${gateway}${address}`)
}

function decoded(part: string): string | undefined {
  try {
    return decodeURIComponent(part)
  } catch (error) {
    if (error instanceof URIError) return undefined
    throw error
  }
}

/** A pattern that stands for something without a picture; the same for the same text on every machine. */
interface Sign {
  /** In degrees. */
  readonly hue: number
  /** The cells that are filled, in a square of `signSize`, as [column, row]. */
  readonly cells: readonly (readonly [number, number])[]
}

export const signSize = 5

/** Made from a text alone: its left half is the text's hash, its right half the mirror of that. */
export function signOf(text: string): Sign {
  const random = randomBits(text)
  const hue = random(9) % 360
  const half = Math.ceil(signSize / 2)
  const cells = Array.from({ length: half * signSize }, (_, i) => [i % half, Math.floor(i / half)] as const)
    .filter(() => random(1) === 1)
    .flatMap(([column, row]) => {
      const mirror = signSize - 1 - column
      return mirror === column ? [[column, row] as const] : [[column, row] as const, [mirror, row] as const]
    })
  return { hue, cells }
}

/** Bits that only a text decides: FNV-1a of the text, spread by xorshift. */
function randomBits(text: string): (bits: number) => number {
  let state = 0x811c9dc5
  for (const sign of text) state = Math.imul(state ^ (sign.codePointAt(0) ?? 0), 0x01000193)
  state = state === 0 ? 1 : state
  return (bits) => {
    for (let rounds = 0; rounds < 3; rounds++) {
      state ^= state << 13
      state ^= state >>> 17
      state ^= state << 5
    }
    return (state >>> 8) & ((1 << bits) - 1)
  }
}
