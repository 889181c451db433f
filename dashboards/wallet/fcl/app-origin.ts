/** Whose page may ask for anything: nobody can change what comes by HTTPS on its way, nor what comes from this very machine. */
export function isSafeOrigin(origin: string): boolean {
  let url: URL
  try {
    url = new URL(origin)
  } catch {
    return false
  }
  if (url.origin !== origin) return false
  return url.protocol === 'https:' || (url.protocol === 'http:' && isOwnMachine(url.hostname))
}

function isOwnMachine(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost') || host === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(host)
}
