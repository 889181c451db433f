import type { Config } from '../base/config.ts'
import type { RelyingParty } from '../wallet/passkeys/relying-party.ts'
import type { Shared } from './shared.ts'
import type { WalletPlace } from './wallet-settings.ts'

/** Where people reach the editor, without a slash at its end. */
export function editorUrl(config: Pick<Config, 'EDITOR_URL' | 'HTTP_PORT'>, port: number = config.HTTP_PORT): string {
  return (config.EDITOR_URL ?? `http://localhost:${port}`).replace(/\/+$/, '')
}

/**
 * The wallet with the editor's pages among those that may sign people in: they are the operator's own. Without EDITOR_URL that is so for this machine alone, where
 * the port may be one that was picked.
 */
export function withEditor(place: WalletPlace, config: Pick<Config, 'EDITOR_URL' | 'HTTP_PORT'>, shared: Shared): WalletPlace {
  const { party, isForTrial } = place
  if (config.EDITOR_URL === undefined && !isForTrial) return place
  const allows: RelyingParty['allows'] = (origin) => (
    party.allows(origin) || (origin === new URL(editorUrl(config, shared.editorPort)).origin && isUsable(new URL(origin), party.id))
  )
  return { ...place, party: { ...party, allows } }
}

/** Browsers give passkeys to no other pages. Without TLS, whoever is on the way to such a page would have its sessions. */
function isUsable({ protocol, hostname }: URL, rpId: string): boolean {
  return isAtOrBelow(hostname, rpId) && (protocol === 'https:' || isAtOrBelow(hostname, 'localhost'))
}

function isAtOrBelow(host: string, domain: string): boolean {
  return host === domain || host.endsWith(`.${domain}`)
}
