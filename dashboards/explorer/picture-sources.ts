const defaultGateways = ['https://ipfs.io/ipfs/', 'https://dweb.link/ipfs/']

export function readGateways(html: Document): readonly string[] {
  const content = html.querySelector<HTMLMetaElement>('meta[name=ipfs-gateways]')?.content.split(' ') ?? []
  const configured = content.filter((url) => url.startsWith('https://'))
  return configured.length > 0 ? configured : defaultGateways
}

const inlinePicture = /^data:image\/(?:png|jpeg|gif|webp|avif|svg\+xml)[;,]/i

/**
 * In order of preference. Other schemes and URLs with credentials are rejected. SVG is safe: it
 * runs no scripts and loads nothing inside `<img>`.
 */
export function pictureSources(source: string | null, gateways: readonly string[]): readonly string[] {
  if (source === null) return []
  if (inlinePicture.test(source)) return [source]
  const content = /^ipfs:\/\/(?:ipfs\/)?(.+)$/i.exec(source)?.[1]
  if (content !== undefined) return gatewayUrls(content, gateways)
  if (!URL.canParse(source)) return []
  const { protocol, username, password, href } = new URL(source)
  return protocol === 'https:' && username === '' && password === '' ? [href] : []
}

function gatewayUrls(content: string, gateways: readonly string[]): readonly string[] {
  const [path = ''] = content.split(/[?#]/)
  const parts = path.split('/').map(decodePart)
  // Dot segments would escape the gateway's path.
  if (parts.some((part) => part === undefined || part === '.' || part === '..' || /[/\\\p{Cc}]/u.test(part))) return []
  const encoded = parts.map((part) => encodeURIComponent(part ?? '')).join('/')
  return gateways.map((gateway) => `${gateway}${encoded}`)
}

function decodePart(part: string): string | undefined {
  try {
    return decodeURIComponent(part)
  } catch (error) {
    if (error instanceof URIError) return undefined
    throw error
  }
}

interface Identicon {
  /** Degrees. */
  readonly hue: number
  /** [column, row] in a square of `identiconSize`. */
  readonly cells: readonly (readonly [number, number])[]
}

export const identiconSize = 5

export function identiconOf(text: string): Identicon {
  const random = randomBits(text)
  const hue = random(9) % 360
  const half = Math.ceil(identiconSize / 2)
  const cells = Array.from({ length: half * identiconSize }, (_, i) => [i % half, Math.floor(i / half)] as const)
    .filter(() => random(1) === 1)
    .flatMap(([column, row]) => {
      const mirror = identiconSize - 1 - column
      return mirror === column ? [[column, row] as const] : [[column, row] as const, [mirror, row] as const]
    })
  return { hue, cells }
}

function randomBits(text: string): (bits: number) => number {
  let state = 0x811c9dc5
  for (const char of text) state = Math.imul(state ^ (char.codePointAt(0) ?? 0), 0x01000193)
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
