import { expect } from 'chai'
import { githubRoutes } from '../../../src/editor/github/create-github.ts'
import { workflowPath } from '../../../src/editor/github/deploy-workflow.ts'
import { githubLimits } from '../../../src/editor/github/github-route.ts'
import { readRepositoryFile } from '../../support/repository.ts'

describe('repositories documentation', () => {
  const page = readRepositoryFile('docs/editor.md')

  it('lists exactly the existing routes', () => {
    const routes = githubRoutes.map(({ method, path }) => `${method} ${path.replace('*}', '}')}`)
    const reported = [...page.matchAll(/^\| `((?:GET|POST|DELETE) \/github[^`]*)`/gm)].map(([, route]) => route)
    expect(routes.length).to.be.greaterThan(20)
    expect(reported).to.have.same.members(routes)
  })

  it('states the current limits and the workflow name', () => {
    expect(page.replaceAll(/\s+/g, ' ')).to.include(
      `${githubLimits.client} requests per client, ${githubLimits.read} reads and ${githubLimits.write} changes per user, ${githubLimits.webhook.toLocaleString('en')} webhooks per client`,
    )
    expect(page).to.include(`\`${workflowPath}\``)
  })
})
