import { once, EventEmitter } from 'node:events'
import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import type { DeployMessage } from '../../../src/editor/lsp/deploy-subscriptions.ts'
import { GitHubWorld } from './github-world.ts'
import { pushEventOf, runEvent } from './github-events.ts'

/** Collects messages; `until` resolves after a given number. */
class Inbox extends EventEmitter {
  readonly messages: DeployMessage[] = []
  readonly put = (message: DeployMessage): void => {
    this.messages.push(message)
    this.emit('message')
  }

  async until(count: number): Promise<readonly DeployMessage[]> {
    while (this.messages.length < count) await once(this, 'message')
    return this.messages
  }
}

describe('deployment feed', () => {
  let world: GitHubWorld
  before(async () => {
    world = await GitHubWorld.start()
  })
  after(() => world.stop())

  it('sends events to the owner, in order, in every process', async () => {
    const { projectId, repo } = await world.connected('alice')
    const feeds = [await world.feed(), await world.feed()]
    const inboxes = [new Inbox(), new Inbox()]
    for (const [i, feed] of feeds.entries())
      await feed.subscribe(projectId, 'token-of-alice', inboxes[i]?.put ?? (() => undefined))
    await world.webhook('push', pushEventOf(repo))
    await world.webhook('workflow_run', runEvent(repo, { status: 'in_progress' }))
    await world.webhook('workflow_run', runEvent(repo, { status: 'in_progress' }))
    await world.webhook('workflow_run', runEvent(repo, { status: 'completed', conclusion: 'failure' }))
    await world.webhook('workflow_run', runEvent(repo, { status: 'completed', attempt: 2 }))
    for (const inbox of inboxes) {
      const reported = await inbox.until(4)
      expect(reported.map(({ type }) => type)).to.deep.equal([
        'deploy:push',
        'deploy:started',
        'deploy:failed',
        'deploy:completed',
      ])
      expect(reported[0]?.data).to.deep.equal({
        project_id: projectId,
        sha: 'ab'.repeat(20),
        branch: 'main',
        network: 'testnet',
        message: 'A push',
        author: 'ann',
      })
      expect(reported[3]?.data).to.deep.equal({
        project_id: projectId,
        sha: 'ab'.repeat(20),
        branch: 'main',
        network: 'testnet',
        status: 'success',
        message: 'Deploy it',
        author: 'ann',
        duration_ms: 5000,
        logs_url: 'https://github.com/alice/contracts-of-alice/actions/runs/77',
      })
    }
  })

  it('omits events that the subscriber may not see, also after a project becomes private', async () => {
    const { projectId, repo, who } = await world.connected('bob')
    const feed = await world.feed()
    world.testUser('mallory')
    const refusal = async (project: string, token: string | undefined): Promise<unknown> =>
      feed
        .subscribe(project, token, () => undefined)
        .then(
          () => 'subscribed',
          (error: unknown) => (error as { readonly status?: number }).status,
        )
    for (const token of [undefined, 'token-of-mallory']) expect(await refusal(projectId, token)).to.equal(404)
    expect(await refusal(projectId, 'no token')).to.equal(401)
    for (const project of [randomUUID(), '', 'x', "' or 1=1 --"])
      expect(await refusal(project, undefined)).to.equal(404)
    const project = world.projects.get(projectId)
    if (project === undefined) throw new Error('no project')
    project.isPublic = true
    const [otherUser, anybody, owner] = [new Inbox(), new Inbox(), new Inbox()]
    await feed.subscribe(projectId, 'token-of-mallory', otherUser.put)
    await feed.subscribe(projectId, undefined, anybody.put)
    await feed.subscribe(projectId, `token-of-${who.name}`, owner.put)
    await world.webhook('workflow_run', runEvent(repo, { id: 1, status: 'in_progress' }))
    await Promise.all([otherUser, anybody, owner].map((inbox) => inbox.until(1)))
    project.isPublic = false
    await world.webhook('workflow_run', runEvent(repo, { id: 1, status: 'completed' }))
    await owner.until(2)
    project.isPublic = true
    await world.webhook('workflow_run', runEvent(repo, { id: 1, attempt: 2, status: 'in_progress' }))
    await Promise.all([otherUser.until(2), anybody.until(2), owner.until(3)])
    expect([
      otherUser.messages.map(({ data }) => data.status),
      anybody.messages.map(({ data }) => data.status),
    ]).to.deep.equal([
      ['in_progress', 'in_progress'],
      ['in_progress', 'in_progress'],
    ])
  })

  it('ends with the session of its subscriber, and sends the reason', async () => {
    const { projectId, repo, who } = await world.connected('erin')
    const feed = await world.feed()
    const [owner, anonymous] = [new Inbox(), new Inbox()]
    const ends: (string | number)[] = []
    await feed.subscribe(projectId, 'token-of-erin', owner.put, ({ status, code }) => ends.push(status, code))
    await world.webhook('workflow_run', runEvent(repo, { id: 21, status: 'in_progress' }))
    await owner.until(1)
    // Signed out, deleted, or the token expired.
    world.users.delete('erin')
    const project = world.projects.get(projectId)
    if (project === undefined) throw new Error('no project')
    project.isPublic = true
    await feed.subscribe(projectId, undefined, anonymous.put)
    await world.webhook('workflow_run', runEvent(repo, { id: 21, status: 'completed' }))
    await anonymous.until(1)
    expect(ends).to.deep.equal([401, 'UNAUTHORIZED'])
    world.users.set('erin', who)
    await world.webhook('workflow_run', runEvent(repo, { id: 21, attempt: 2, status: 'in_progress' }))
    await anonymous.until(2)
    expect(owner.messages).to.have.length(1)
  })

  it('stops events of a repository once its installation is removed', async () => {
    const { projectId, repo } = await world.connected('frank')
    const other = await world.connected('grace')
    const feed = await world.feed(1)
    const [inbox, otherInbox] = [new Inbox(), new Inbox()]
    await feed.subscribe(projectId, 'token-of-frank', inbox.put)
    await feed.subscribe(other.projectId, 'token-of-grace', otherInbox.put)
    const notify = async (sha: string, project = projectId): Promise<void> => {
      await world.pool.query('select pg_notify($1, $2)', [
        'flowfarm_editor_deploys',
        JSON.stringify({ type: 'deploy:push', data: { project_id: project, sha, branch: 'main' } }),
      ])
    }
    await world.pool.query("update editor.connections set off_reason = 'installation-deleted' where project_id = $1", [
      projectId,
    ])
    await notify('1')
    await world.webhook('workflow_run', runEvent(repo, { id: 31 }))
    // Each of these is read after one of the two above.
    for (const count of [1, 2]) {
      await notify('1', other.projectId)
      await otherInbox.until(count)
    }
    await world.pool.query('update editor.connections set off_reason = null where project_id = $1', [projectId])
    await notify('2')
    expect((await inbox.until(1)).map(({ data }) => data.sha)).to.deep.equal(['2'])
  })

  it('ends only for the subscriber that leaves, and tolerates one that throws', async () => {
    const { projectId, repo } = await world.connected('carl')
    const feed = await world.feed()
    const [stays, leaves] = [new Inbox(), new Inbox()]
    await feed.subscribe(projectId, 'token-of-carl', () => {
      throw new Error('the socket is closed')
    })
    const leave = await feed.subscribe(projectId, 'token-of-carl', leaves.put)
    await feed.subscribe(projectId, 'token-of-carl', stays.put)
    leave()
    leave()
    await world.webhook('workflow_run', runEvent(repo, { id: 9 }))
    await stays.until(1)
    expect(leaves.messages).to.deep.equal([])
  })

  it('catches up on deployments after a database outage', async () => {
    const { projectId, repo } = await world.connected('dan')
    const feed = await world.feed()
    const inbox = new Inbox()
    await feed.subscribe(projectId, 'token-of-dan', inbox.put)
    await world.webhook('workflow_run', runEvent(repo, { id: 3, status: 'in_progress' }))
    await inbox.until(1)
    // The change is committed, but no listener received its notification.
    await world.pool.query(
      "update editor.deployments set stage = 3, conclusion = 'cancelled', changed_at = clock_timestamp() where run_id = 3",
    )
    await world.pool.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'flowfarm deploy feed' and datname = current_database()",
    )
    const reported = await inbox.until(2)
    expect(reported.at(-1)).to.deep.include({ type: 'deploy:failed' })
    expect(reported.at(-1)?.data.status).to.equal('cancelled')
  })
})
