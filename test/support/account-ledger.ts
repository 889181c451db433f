import { cdc } from './script-node.ts'
import type { Cdc, Ledger, ScriptCall } from './script-node.ts'

/** Account contents on a test chain. */
export interface PresentAccount {
  /** Source by name. */
  readonly contracts?: Readonly<Record<string, string>>
  /** Cadence types by storage path. */
  readonly stored?: Readonly<Record<string, string>>
  readonly publicPaths?: readonly string[]
}

/** Results of the API's own scripts, identified by their text, for accounts by 16 hex digits. */
export function presentLedger(accounts: Readonly<Record<string, PresentAccount>>): Ledger {
  const ofCall = ({ args }: ScriptCall): PresentAccount => accounts[String(args[0]?.value).slice(2)] ?? {}
  return {
    account: ({ address }) => {
      const account = accounts[address]
      return account === undefined ? undefined : (account.contracts ?? {})
    },
    script: (call) => {
      const { stored = {}, publicPaths = [] } = ofCall(call)
      const max = Number(call.args[1]?.value)
      if (call.script.includes('StorageOverview')) return overview(Object.keys(stored), publicPaths, max)
      if (call.script.includes('[PublicPath]')) return cdc.array(publicPaths.slice(0, max).map(path))
      const type = stored[`/storage/${String(call.args[1]?.value)}`]
      return cdc.optional(type === undefined ? null : cdc.string(type))
    },
  }
}

function overview(stored: readonly string[], publicPaths: readonly string[], max: number): Cdc {
  return cdc.struct({
    used: cdc.uint64(3_145_728),
    capacity: cdc.uint64('18446744073709551615'),
    balance: cdc.ufix64('1.50000001'),
    availableBalance: cdc.ufix64('1.49900001'),
    height: cdc.uint64(281),
    storagePaths: cdc.array(stored.slice(0, max).map(path)),
    publicPaths: cdc.array(publicPaths.slice(0, max).map(path)),
    isCut: cdc.bool(stored.length > max || publicPaths.length > max),
  })
}

function path(text: string): Cdc {
  const [, domain = '', identifier = ''] = text.split('/')
  return cdc.path(domain, identifier)
}
