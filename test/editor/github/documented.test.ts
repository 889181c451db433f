import { expect } from 'chai'
import { workflowPath } from '../../../src/editor/github/deploy-workflow.ts'
import { githubLimits } from '../../../src/editor/github/own-route.ts'
import { filesBelow, readRepositoryFile } from '../../support/repository.ts'

describe('the page on repositories', () => {
  const page = readRepositoryFile('docs/editor.md')

  it('has every route that there is, and no other', () => {
    const sources = filesBelow(['src/editor/github'], /(-routes|create-github)\.ts$/).map((file) =>
      readRepositoryFile(file),
    )
    const own = sources.flatMap((source) =>
      [...source.matchAll(/method: '(\w+)',\s+path: '([^']+)'/g)].map(([, method, path]) => `${method} ${path}`),
    )
    const open = sources.flatMap((source) =>
      [...source.matchAll(/router\.(\w+)\(\s*'([^']+)'/g)].map(([, method, path]) => `${method} ${path}`),
    )
    const routes = [...own, ...open].map((route) =>
      route.replace(
        /^(\w+) (.*)$/,
        (_, method: string, path: string) => `${method.toUpperCase()} /github${path.replaceAll(/[:*](\w+)/g, '{$1}')}`,
      ),
    )
    const told = [...page.matchAll(/^\| `((?:GET|POST|DELETE) \/github[^`]*)`/gm)].map(([, route]) => route)
    expect(routes.length).to.be.greaterThan(20)
    expect(told).to.have.same.members(routes)
  })

  it('has the limits and the name of the workflow as they are', () => {
    expect(page.replaceAll(/\s+/g, ' ')).to.include(
      `${githubLimits.client} requests per client, ${githubLimits.read} reads and ${githubLimits.write} changes per user, ${githubLimits.webhook.toLocaleString('en')} webhooks per client`,
    )
    expect(page).to.include(`\`${workflowPath}\``)
  })
})
