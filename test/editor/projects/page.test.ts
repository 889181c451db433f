import { expect } from 'chai'
import { editorSettings } from '../../../src/editor/settings.ts'
import { pathRules } from '../../../src/editor/projects/project-paths.ts'
import { maxBodyBytes } from '../../../src/editor/projects/project-quotas.ts'
import { projectRateLimits } from '../../../src/editor/projects/projects-function.ts'
import { readRepositoryFile } from '../../support/repository.ts'
import { ProjectWorld } from './support/project-world.ts'

const page = readRepositoryFile('docs/editor.md')

interface Example {
  readonly request: string
  readonly status: number
  readonly answer: unknown
}

/** In page order; each builds on those before. */
function examples(): Example[] {
  return [...page.matchAll(/```json request\n(.*?)```\s+```json answer ?(\d*)\n(.*?)```/gs)].map(
    ([, request = '', status = '', answer = '']) => ({
      request,
      status: status === '' ? 200 : Number(status),
      answer: JSON.parse(answer) as unknown,
    }),
  )
}

/** Fields with a new value on each run. */
const isNew = /^(id|slug|user_id|updated_at|created_at|next_cursor)$/

/** Replaces values that change on each run by those of the page, and records the mapping. */
function asOnPage(now: unknown, shown: unknown, names: Map<string, string>, key = ''): unknown {
  if (typeof now === 'string' && typeof shown === 'string' && isNew.test(key)) {
    if (/_at$|cursor/.test(key)) return shown
    if (!names.has(shown)) names.set(shown, now)
    return names.get(shown) === now ? shown : now
  }
  if (Array.isArray(now) && Array.isArray(shown)) return now.map((one, i) => asOnPage(one, shown[i], names))
  if (typeof now !== 'object' || now === null || typeof shown !== 'object' || shown === null) return now
  return Object.fromEntries(
    Object.entries(now).map(([name, value]) => [
      name,
      asOnPage(value, (shown as Record<string, unknown>)[name], names, name),
    ]),
  )
}

describe('projects documentation', () => {
  it('has examples with the actual responses', async () => {
    const world = await ProjectWorld.create()
    try {
      const { token } = world.testUser()
      const names = new Map<string, string>()
      const all = examples()
      expect(all.map(({ request }) => (JSON.parse(request) as { endpoint: string }).endpoint)).to.include.members([
        '/projects/save',
        '/projects/get',
        '/projects/fork',
        '/projects/list',
        '/projects/delete',
      ])
      expect(page.match(/```json/g)).to.have.length(2 * all.length)
      for (const { request, status, answer } of all) {
        let body = request
        for (const [shown, now] of names) body = body.replaceAll(shown, now)
        const response = await world.fetch({
          method: 'POST',
          headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
          body,
        })
        expect(asOnPage(await response.json(), answer, names), request).to.deep.equal(answer)
        expect(response.status).to.equal(status)
      }
      expect(names.size).to.equal(5)
    } finally {
      await world.stop()
    }
  })

  it('states the current limits', () => {
    const rows = new Map(
      page
        .split('\n')
        .map((line) => line.split('|').map((cell) => cell.trim()))
        .map(([, what = '', max = '']) => [what, max]),
    )
    const {
      PROJECTS_PER_USER: projects,
      PROJECT_FILES: files,
      PROJECT_FILE_BYTES: fileBytes,
      PROJECT_BYTES: projectBytes,
    } = editorSettings
    expect(rows.get('projects per user')).to.equal(projects.read(undefined).toLocaleString('en'))
    expect(rows.get('files per project (and folders)')).to.equal(files.read(undefined).toLocaleString('en'))
    expect(rows.get('bytes per file (UTF-8)')).to.equal(fileBytes.read(undefined).toLocaleString('en'))
    expect(rows.get('bytes per project')).to.equal(projectBytes.read(undefined).toLocaleString('en'))
    const { client, read, write, atOnce } = projectRateLimits
    expect(rows.get('requests per address or IPv6 /64')).to.equal(`${client} a minute`)
    expect(rows.get('`list` and `get` per account')).to.equal(`${read} a minute`)
    expect(rows.get('`save`, `fork` and `delete` per account')).to.equal(`${write} a minute`)
    expect(rows.get('concurrent requests per account, or per address without sign-in')).to.equal(String(atOnce))
    expect(maxBodyBytes({ projects: 1, files: 1, fileBytes: 1, projectBytes: 5 })).to.equal(1_000_010)
    expect(rows.get('`too-long`, `segment-too-long`, `too-deep`')).to.equal(
      `more than ${pathRules.maxBytes} bytes, ${pathRules.maxSegmentBytes} bytes between two slashes, ${pathRules.maxSegments} levels`,
    )
  })

  it('lists every path rule', () => {
    const rules = [
      ...readRepositoryFile('src/editor/projects/project-paths.ts').matchAll(/'([a-z-]+)'(?= \||\n)/g),
    ].map(([, rule]) => rule)
    expect(rules.length).to.be.greaterThan(18)
    for (const rule of rules) expect(page).to.include(`\`${rule}\``)
  })
})
