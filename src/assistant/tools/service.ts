import type { SettingValues } from '../../platform/setting.ts'
import type { chatSettings } from '../chat/settings.ts'
import { scriptReference } from '../mcp/script-reference.ts'
import { readDocumentPages } from './doc-sections.ts'
import { startToolServers } from './tool-servers.ts'
import { cannotListen } from '../../platform/http/cannot-listen.ts'
import type { ServiceContext } from '../../platform/service.ts'
import { openNetwork } from '../network.ts'
import { openSkills } from '../skills/open-skills.ts'

type Config = SettingValues<typeof chatSettings>

/** Increase it when tools change. */
const version = '1.0.0'

export async function startTools(context: ServiceContext<Config>): Promise<void> {
  const { config, metrics, lifecycle, shared } = context
  const log = context.log.child({ service: 'tools' })
  const [network, skills, pages] = await Promise.all([openNetwork(context), openSkills(context), readDocumentPages()])
  const server = await startToolServers({
    log,
    metrics,
    version,
    host: config.TOOLS_HOST,
    port: config.TOOLS_PORT,
    evmRpcUrl: config.EVM_RPC_URL,
    network,
    documents: (network) => [
      ...skills.all.map(({ name, content }) => ({ id: `skills/${name}`, text: content })),
      { id: 'reference/scripts', text: scriptReference(network) },
      ...pages,
    ],
  }).catch((error: unknown) => {
    throw cannotListen(error, { variable: 'TOOLS_PORT', port: config.TOOLS_PORT, host: config.TOOLS_HOST })
  })
  shared.toolsPort = server.port
  lifecycle.onStop('tool servers', () => server.close())
}
