import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import fc from 'fast-check'
import { parse } from 'yaml'
import { deployWorkflow, neededSecrets, workflowFile, signReport } from './deploy-workflow.ts'

interface Step {
  readonly name?: string
  readonly uses?: string
  readonly run?: string
  readonly env?: Record<string, string>
  readonly if?: string
  readonly 'working-directory'?: string
}
interface Workflow {
  readonly on: { readonly push: { readonly branches: string[]; readonly paths?: string[] } }
  readonly permissions: unknown
  readonly jobs: Record<
    string,
    { readonly if: string; readonly env: Record<string, string>; readonly permissions: unknown; readonly steps: Step[] }
  >
}

const two = [
  { name: 'Staging', branch: 'dev', network: 'testnet' },
  { name: 'prod', branch: 'main', network: 'mainnet' },
] as const

describe('deployment workflow', () => {
  it('has a job per environment, on its branch and with its secrets only', () => {
    const workflow = parse(deployWorkflow(two, 'cadence')) as Workflow
    expect(workflow.on.push).to.deep.equal({
      branches: ['dev', 'main'],
      paths: ['cadence/**', `.github/workflows/${workflowFile}`],
    })
    expect(workflow.permissions).to.deep.equal({})
    for (const job of Object.values(workflow.jobs)) expect(job.permissions).to.deep.equal({ contents: 'read' })
    expect(Object.entries(workflow.jobs).map(([name, job]) => [name, job.if, job.env['NETWORK']])).to.deep.equal([
      ['deploy-staging', "github.ref == 'refs/heads/dev'", 'testnet'],
      ['deploy-prod', "github.ref == 'refs/heads/main'", 'mainnet'],
    ])
    expect(neededSecrets(two)).to.include.members([
      'FLOW_PRIVATE_KEY_STAGING',
      'FLOW_KEY_INDEX_PROD',
      'RUNNER_WEBHOOK_URL',
      'RUNNER_WEBHOOK_SECRET',
    ])
  })

  it("exposes the private key in one step's environment, never in a command, output or argument", () => {
    const { jobs } = parse(deployWorkflow(two, '')) as Workflow
    for (const { steps } of Object.values(jobs)) {
      expect(
        steps.filter(({ env = {} }) => Object.values(env).some((value) => value.includes('FLOW_PRIVATE_KEY'))),
      ).to.have.length(1)
      for (const { run = '' } of steps) {
        expect(run).not.to.include('${{')
        expect(run).not.to.match(/GITHUB_OUTPUT|set-output|echo "?\$FLOW|set -x/)
      }
    }
  })

  it('pins actions to commits, and limits the secrets of each step', () => {
    const text = deployWorkflow(two, 'cadence')
    expect(text).not.to.match(
      /curl[^|]*\|\s*(?:ba)?sh|sh -c|install\.sh|@(?:v\d|main|master|latest)|npx|npm (?:i|install)/,
    )
    const { jobs } = parse(text) as Workflow
    for (const { steps } of Object.values(jobs)) {
      for (const { uses } of steps) if (uses !== undefined) expect(uses).to.match(/^actions\/checkout@[0-9a-f]{40}$/)
      const fetches = steps
        .flatMap(({ run = '' }) => run.split('\n'))
        .filter((line) => /\bgit (?:fetch|clone|pull|checkout)\b|\bgo (?:get|install|run)\b/.test(line))
      expect(fetches).to.have.length(2)
      for (const line of fetches) expect(line).to.match(/\b[0-9a-f]{40}$/)
      for (const { name = '', env = {} } of steps) {
        const secrets = Object.values(env)
          .flatMap((value) =>
            [...value.matchAll(/secrets\.(\w+)/g)].map(([, secret = '']) => secret.replace(/_(?:STAGING|PROD)$/, '')),
          )
          .sort()
        if (name === 'Deploy') expect(secrets).to.deep.equal(['FLOW_ADDRESS', 'FLOW_KEY_INDEX', 'FLOW_PRIVATE_KEY'])
        else
          expect(secrets, name).to.deep.equal(
            name.startsWith('Report') ? ['RUNNER_WEBHOOK_SECRET', 'RUNNER_WEBHOOK_URL'] : [],
          )
      }
    }
  })

  it('preserves branch and folder names, or rejects them', () => {
    const names = fc.oneof(
      fc.string({ minLength: 1, maxLength: 20 }),
      fc.constantFrom("x'", 'a${{b}}', '"', 'a: b', '- x', 'a#b', '*', '!x', 'a\nb', 'a+b', 'release/1.0', 'Ünï'),
    )
    fc.assert(
      fc.property(names, names, (branch, folder) => {
        let text: string
        try {
          text = deployWorkflow([{ name: 'x', branch, network: 'testnet' }], folder)
        } catch (error) {
          expect((error as Error).message).to.include('letters, digits')
          return
        }
        const workflow = parse(text) as Workflow
        expect(workflow.on.push.branches.map((one) => one.replaceAll('\\', ''))).to.deep.equal([branch])
        const job = workflow.jobs['deploy-x']
        expect(job?.if).to.equal(`github.ref == 'refs/heads/${branch}'`)
        expect(job?.steps.find(({ name }) => name === 'Deploy')?.['working-directory']).to.equal(folder)
      }),
      { numRuns: 500 },
    )
  })

  it('signs reports in the format that the editor verifies', function (this: Mocha.Context) {
    for (const program of ['jq', 'openssl']) {
      // Available on workflow runners, but not on every machine.
      try {
        execFileSync('sh', ['-c', `command -v ${program}`])
      } catch {
        this.skip()
      }
    }
    const folder = mkdtempSync(join(tmpdir(), 'flowfarm-report-'))
    try {
      writeFileSync(join(folder, 'curl'), '#!/bin/sh\nfor one; do printf "%s\\0" "$one"; done > "$OUT"\n', {
        mode: 0o755,
      })
      const { jobs } = parse(deployWorkflow(two, '')) as Workflow
      const run = jobs['deploy-prod']?.steps.find(({ name }) => name === 'Report the end')?.run ?? ''
      const out = join(folder, 'out')
      execFileSync('bash', ['--norc', '-e', '-c', run], {
        env: {
          PATH: `${folder}:${process.env['PATH'] ?? ''}`,
          OUT: out,
          STATUS: 'success',
          WANTED_SHA: 'ab'.repeat(20),
          BRANCH: 'it\'s "main" $(x)',
          NETWORK: 'mainnet',
          ACTION: 'deploy',
          GITHUB_RUN_ID: '12',
          GITHUB_RUN_ATTEMPT: '2',
          REPORT_KEY: 'a key',
          REPORT_URL: 'https://editor.example.com/github/webhook/deploy?connection=x',
        },
      })
      const given = readFileSync(out, 'utf8').split('\0')
      const header = (name: string): string =>
        given.find((one) => one.startsWith(`${name}: `))?.slice(name.length + 2) ?? ''
      const body = given[given.indexOf('--data') + 1] ?? ''
      expect(JSON.parse(body)).to.deep.equal({
        status: 'success',
        sha: 'ab'.repeat(20),
        branch: 'it\'s "main" $(x)',
        network: 'mainnet',
        action: 'deploy',
        run_id: 12,
        run_attempt: 2,
      })
      expect(header('X-Signature-256')).to.equal(signReport('a key', header('X-Timestamp'), body))
      expect(given.join(' ')).not.to.include('a key')
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})
