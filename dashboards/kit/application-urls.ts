export const applicationNames = ['explorer', 'ask', 'chat', 'wallet', 'editor', 'operator'] as const

export type ApplicationName = (typeof applicationNames)[number]

type ApplicationUrls = Readonly<Partial<Record<ApplicationName, string>>>

interface Places {
  readonly own: readonly number[]
  readonly ports: Readonly<Partial<Record<ApplicationName, number>>>
  readonly urls: Readonly<Partial<Record<ApplicationName, string>>>
}

function readPlaces(): Places {
  const text = document.querySelector<HTMLMetaElement>('meta[name="applications"]')?.content
  return text === undefined ? { own: [], ports: {}, urls: {} } : (JSON.parse(text) as Places)
}

/** URLs of the applications that run, with a slash at the end. */
export function applicationUrls(
  { own, ports, urls }: Places = readPlaces(),
  { protocol, hostname, port: shown }: Pick<Location, 'protocol' | 'hostname' | 'port'> = location,
): ApplicationUrls {
  const ownPort = shown === '' ? (protocol === 'https:' ? 443 : 80) : Number(shown)
  const isDirect = own.includes(ownPort)
  const found: { [Name in ApplicationName]?: string } = {}
  for (const name of applicationNames) {
    const port = isDirect ? ports[name] : undefined
    const path = name === 'operator' ? 'operator/' : ''
    const url = urls[name] ?? (port === undefined ? undefined : `${protocol}//${hostname}:${port}/${path}`)
    if (url !== undefined) found[name] = url
  }
  return found
}
