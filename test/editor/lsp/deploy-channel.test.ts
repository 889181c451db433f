import { expect } from 'chai'
import { DeployChannel } from '../../../dashboards/editor/language/deploy-channel.ts'
import { ApiError } from '../../../src/platform/errors.ts'
import type { DeployFeed, DeployMessage } from '../../../src/editor/lsp/deploy-subscriptions.ts'
import { lspWorld } from './support/lsp-world.ts'

describe('deployment channel of the page', () => {
  it('reconnects with a new token after a rejected one, and receives events', async () => {
    const given: (string | undefined)[] = []
    let tell: ((message: DeployMessage) => void) | undefined
    const deploys: DeployFeed = {
      subscribe: (_projectId, token, onEvent) => {
        given.push(token)
        if (given.length === 1) return Promise.reject(new ApiError(401, 'UNAUTHORIZED', 'Sign in again.'))
        tell = onEvent
        return Promise.resolve(() => undefined)
      },
    }
    await using world = await lspWorld({ deploys, allowsOrigin: () => true })
    const tokens = ['old', 'new']
    const news = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    let received = 0
    const channel = new DeployChannel({
      url: `ws://127.0.0.1:${world.server.port}/lsp`,
      projectId: 'p',
      token: () => Promise.resolve(tokens.shift()),
      onNews: () => news[received++]?.resolve(),
    })
    try {
      await news[0]?.promise
      expect(given).to.deep.equal(['old', 'new'])
      tell?.({ type: 'deploy:started', data: { project_id: 'p' } } as DeployMessage)
      await news[1]?.promise
    } finally {
      channel.close()
    }
  })
})
