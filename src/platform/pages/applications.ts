import type { servingSettings } from '../http/settings.ts'
import type { Shared } from '../service.ts'
import type { SettingValues } from '../setting.ts'
import type { PageName } from './build-dashboards.ts'

/** Places of the other applications, for the header of a page. */
export interface Applications {
  /** Ports of this page: at another one, a proxy is in between and ports of services are unknown. */
  readonly own: readonly number[]
  /** Of services in this process. */
  readonly ports: Readonly<Partial<Record<PageName, number>>>
  /** APPLICATION_URLS. */
  readonly urls: Readonly<Partial<Record<string, string>>>
}

interface PageContext {
  readonly config: Pick<SettingValues<typeof servingSettings>, 'APPLICATION_URLS'>
  readonly shared: Shared
}

/** Ports become known as services start. */
export function applicationsOf({ config, shared }: PageContext, page: PageName): () => Applications {
  return () => {
    const ports = {
      explorer: shared.apiPort,
      ask: shared.askPort,
      chat: shared.chatPort,
      wallet: shared.walletPort,
      editor: shared.editorPort,
      operator: shared.apiPort,
    }
    const own = [ports[page], page === 'chat' ? shared.proxyPort : undefined]
    return {
      own: own.filter((port) => port !== undefined),
      ports: Object.fromEntries(Object.entries(ports).filter(([, port]) => port !== undefined)),
      urls: config.APPLICATION_URLS,
    }
  }
}
