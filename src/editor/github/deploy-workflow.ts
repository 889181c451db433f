import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import type { EditorNetwork } from '../editor-network.ts'
import { secretNames } from './api/names.ts'
import type { Connection } from './stores/connection-store.ts'
import { ApiError } from '../../platform/errors.ts'

/**
 * Pinned by commit because tags can move. The Flow CLI is built from source, whose go.sum has the
 * hashes of its dependencies; its releases have no checksums.
 */
const pinned = {
  checkout: { version: 'v6.1.0', commit: 'd23441a48e516b6c34aea4fa41551a30e30af803' },
  flowCli: { version: 'v2.17.3', commit: '8b1252c26024876f0a046f8279c22d1bc84ea332' },
} as const
const { checkout, flowCli } = pinned

interface WorkflowEnvironment {
  readonly name: string
  readonly branch: string
  readonly network: EditorNetwork
}

export const workflowFile = 'flow-deploy.yml'
export const workflowPath = `.github/workflows/${workflowFile}`

export const reportSecrets = { url: 'RUNNER_WEBHOOK_URL', key: 'RUNNER_WEBHOOK_SECRET' } as const

export function neededSecrets(environments: readonly Pick<WorkflowEnvironment, 'name'>[]): readonly string[] {
  return [...environments.flatMap(({ name }) => Object.values(secretNames(name))), ...Object.values(reportSecrets)]
}

/**
 * Deploys pushes to the branches of environments. Each step gets only the secrets that it needs;
 * the private key is in the environment of one step and a temporary file outside of the working
 * copy. Values of a run are passed as variables, so that a branch name cannot become a command.
 * @throws ApiError 422 `unsafe-name` for a branch or folder that could be interpreted in a workflow
 */
export function deployWorkflow(environments: readonly WorkflowEnvironment[], folder: string): string {
  const unsafe = [...environments.map(({ branch }) => branch), ...(folder === '' ? [] : [folder])].find(
    (name) => !/^[\p{L}\p{N}._/+ -]+$/u.test(name),
  )
  if (unsafe !== undefined)
    throw new ApiError(
      422,
      'unsafe-name',
      'Names of deployed branches and folders may contain only letters, digits, spaces and . _ / + -, ' +
        `and "${unsafe}" has others.`,
    )
  const lines = [
    'name: Deploy to Flow',
    'on:',
    '  push:',
    `    branches: ${JSON.stringify(environments.map(({ branch }) => literalName(branch)))}`,
    ...(folder === '' ? [] : [`    paths: ${JSON.stringify([`${literalName(folder)}/**`, workflowPath])}`]),
    '  workflow_dispatch:',
    '    inputs:',
    '      action: { description: "What to do", type: choice, options: [deploy, dry-run, rollback], default: deploy }',
    '      commit_sha: { description: "Commit to roll back to", type: string, default: "" }',
    'permissions: {}',
    'concurrency:',
    '  group: flow-deploy-${{ github.ref }}',
    '  cancel-in-progress: false',
    'jobs:',
    ...environments.flatMap((environment) => job(environment, folder)),
    '',
  ]
  return lines.join('\n')
}

function job({ name, branch, network }: WorkflowEnvironment, folder: string): readonly string[] {
  const secrets = secretNames(name)
  return [
    `  deploy-${name.toLowerCase()}:`,
    `    if: github.ref == 'refs/heads/${branch}'`,
    '    runs-on: ubuntu-24.04',
    '    permissions:',
    '      contents: read',
    '    timeout-minutes: 30',
    '    env:',
    "      ACTION: ${{ inputs.action || 'deploy' }}",
    "      WANTED_SHA: ${{ inputs.action == 'rollback' && inputs.commit_sha || github.sha }}",
    '      BRANCH: ${{ github.ref_name }}',
    `      NETWORK: ${network}`,
    '    steps:',
    `      - uses: actions/checkout@${checkout.commit} # ${checkout.version}`,
    '        with:',
    '          ref: ${{ env.WANTED_SHA }}',
    '          fetch-depth: 0',
    '          persist-credentials: false',
    '      - name: Require a commit of the branch',
    '        run: git merge-base --is-ancestor "$WANTED_SHA" "$GITHUB_SHA"',
    '      - name: Report the start',
    ...report('in_progress'),
    `      - name: Build the Flow CLI ${flowCli.version}`,
    '        env:',
    '          CGO_CFLAGS: -O2 -D__BLST_PORTABLE__ -std=gnu11',
    '          GOFLAGS: -mod=readonly -trimpath',
    '        run: |',
    '          git init --quiet "$RUNNER_TEMP/flow-cli"',
    '          cd "$RUNNER_TEMP/flow-cli"',
    `          git fetch --quiet --depth 1 https://github.com/onflow/flow-cli.git ${flowCli.commit}`,
    `          git checkout --quiet --detach ${flowCli.commit}`,
    '          go build -o "$RUNNER_TEMP/bin/flow" ./cmd/flow',
    '          echo "$RUNNER_TEMP/bin" >> "$GITHUB_PATH"',
    '      - name: Deploy',
    ...(folder === '' ? [] : [`        working-directory: ${JSON.stringify(folder)}`]),
    '        env:',
    `          FLOW_PRIVATE_KEY: \${{ secrets.${secrets.privateKey} }}`,
    `          FLOW_ADDRESS: \${{ secrets.${secrets.address} }}`,
    `          FLOW_KEY_INDEX: \${{ secrets.${secrets.keyIndex} }}`,
    '        run: |',
    '          umask 077',
    '          key="$RUNNER_TEMP/deployer.pkey"',
    '          config="$RUNNER_TEMP/deployer.json"',
    '          trap \'rm -f "$key" "$config"\' EXIT',
    '          printf %s "$FLOW_PRIVATE_KEY" > "$key"',
    '          jq -n --arg address "$FLOW_ADDRESS" --arg index "$FLOW_KEY_INDEX" --arg file "$key" ' +
      '--arg network "$NETWORK" \\',
    '            --argjson contracts "$(jq -c \'[.contracts // {} | to_entries[] ' +
      '| select(.value | type == "string" or has("source")) | .key]\' flow.json)" \\',
    '            \'{accounts: {deployer: {address: $address, key: {type: "file", location: $file, index: ' +
      '($index | tonumber)}}}, deployments: {($network): {deployer: $contracts}}}\' > "$config"',
    '          unset FLOW_PRIVATE_KEY',
    '          if [ "$ACTION" = dry-run ]; then jq .deployments "$config"; exit; fi',
    '          flow project deploy --network "$NETWORK" --update --yes -f flow.json -f "$config"',
    '      - name: Report the end',
    '        if: always()',
    ...report('${{ job.status }}'),
  ]
}

/** A lost report fails nothing. */
function report(status: string): readonly string[] {
  return [
    '        continue-on-error: true',
    '        env:',
    `          STATUS: ${status}`,
    `          REPORT_URL: \${{ secrets.${reportSecrets.url} }}`,
    `          REPORT_KEY: \${{ secrets.${reportSecrets.key} }}`,
    '        run: |',
    '          body="$(jq -cn --arg status "$STATUS" --arg sha "$WANTED_SHA" --arg branch "$BRANCH" ' +
      '--arg network "$NETWORK" --arg action "$ACTION" \\',
    '            --argjson run_id "$GITHUB_RUN_ID" --argjson run_attempt "$GITHUB_RUN_ATTEMPT" \'$ARGS.named\')"',
    '          now="$(date +%s)"',
    '          signature="$(printf \'%s.%s\' "$now" "$body" | openssl dgst -sha256 -hmac "$REPORT_KEY" -r ' +
      '| cut -d" " -f1)"',
    '          curl -fsS --max-time 20 -X POST -H "Content-Type: application/json" -H "X-Timestamp: $now" ' +
      '-H "X-Signature-256: sha256=$signature" --data "$body" "$REPORT_URL"',
  ]
}

/** Escapes GitHub's branch patterns. */
function literalName(name: string): string {
  return name.replaceAll('+', String.raw`\+`)
}

/** Maximum clock difference, seconds. Reports are remembered for longer. */
export const reportSeconds = 300

/**
 * Derived, and stored only as a secret of the repository. A new connection has a new key. @returns
 * 64 hex digits
 */
export function reportKey(
  webhookSecret: string,
  { id, callbackSalt }: Pick<Connection, 'id' | 'callbackSalt'>,
): string {
  return Buffer.from(hkdfSync('sha256', webhookSecret, callbackSalt, `flowfarm deploy reports of ${id}`, 32)).toString(
    'hex',
  )
}

export function signReport(key: string, timestamp: string, body: string | Buffer): string {
  return `sha256=${createHmac('sha256', key).update(`${timestamp}.`).update(body).digest('hex')}`
}

export function isSignedReport(key: string, timestamp: string, body: Buffer, signature: string): boolean {
  const [given, right] = [Buffer.from(signature), Buffer.from(signReport(key, timestamp, body))]
  return given.length === right.length && timingSafeEqual(given, right)
}
