import type { SettingValues } from '../../platform/setting.ts'
import type { chatSettings } from '../chat/settings.ts'
import { openDocLibrary } from './doc-library.ts'
import { startToolServers } from './tool-servers.ts'
import { cannotListen } from '../../platform/http/cannot-listen.ts'
import type { ServiceContext } from '../../platform/service.ts'
import { openNetwork } from '../network.ts'

type Config = SettingValues<typeof chatSettings>

/** Increase it when tools change. */
const version = '1.0.0'

export async function startTools(context: ServiceContext<Config>): Promise<void> {
  const { config, metrics, lifecycle, shared } = context
  const log = context.log.child({ service: 'tools' })
  const server = await startToolServers({
    log,
    metrics,
    version,
    host: config.TOOLS_HOST,
    port: config.TOOLS_PORT,
    evmRpcUrl: config.EVM_RPC_URL,
    network: await openNetwork(context),
    library: await openDocLibrary(context),
  }).catch((error: unknown) => {
    throw cannotListen(error, { variable: 'TOOLS_PORT', port: config.TOOLS_PORT, host: config.TOOLS_HOST })
  })
  shared.toolsPort = server.port
  lifecycle.onStop('tool servers', () => server.close())
}
