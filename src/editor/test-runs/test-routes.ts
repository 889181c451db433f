import { z } from 'zod'
import type { Authenticate } from '../../platform/auth/authenticate.ts'
import { ApiError } from '../../platform/errors.ts'
import { bearerToken } from '../../platform/http/guards.ts'
import { bindRoutes, routesOf } from '../../platform/http/route.ts'
import type { Route } from '../../platform/http/route.ts'
import type { Guard, Guards } from '../../platform/http/router.ts'
import { clientNetwork } from '../../platform/limits/clients.ts'
import { SlidingWindow } from '../../platform/limits/sliding-window.ts'
import { Slots } from '../../platform/limits/slots.ts'
import { checkPath, invalidPath, ProjectTree } from '../projects/project-paths.ts'
import type { TestProgram } from './run-tests.ts'

export interface TestRunLimits {
  /** Per minute. */
  readonly perClient: number
  readonly perUser: number
  readonly atOnce: number
  readonly maxWaitMs: number
}

export const testRunLimits: TestRunLimits = { perClient: 60, perUser: 10, atOnce: 2, maxWaitMs: 30_000 }

const [maxFiles, maxTests] = [500, 50]
const maxBodyBytes = 6_000_000

interface TestRunServices {
  readonly program: TestProgram
  readonly slots: Slots
  readonly perUser: SlidingWindow
}

const route = routesOf<TestRunServices, { tests: string }>()

const reportSchema = z.strictObject({
  outcomes: z.array(
    z.strictObject({ file: z.string(), name: z.string(), has_passed: z.boolean(), error: z.string().nullable() }),
  ),
  error: z.string().nullable().describe('Why the outcome is missing, or null.'),
  log: z.string().describe('Other output of the Flow CLI.'),
  duration_ms: z.int(),
})

export const testRoutes: readonly Route<TestRunServices>[] = [
  route({
    method: 'POST',
    path: '/editor/tests',
    operationId: 'runTests',
    tag: 'Service',
    summary: 'Run Cadence tests with the Flow CLI',
    access: 'tests',
    maxBodyBytes,
    body: z.strictObject({
      files: z
        .array(z.strictObject({ path: z.string(), content: z.string() }))
        .max(maxFiles, `must have at most ${maxFiles} files`),
      tests: z
        .array(z.string().regex(/^[^-].*_test\.cdc$/s, 'must be the path of a file *_test.cdc'))
        .min(1, 'must name a file')
        .max(maxTests, `must have at most ${maxTests} files`)
        .describe('Paths of the files to run.'),
    }),
    response: reportSchema,
    problems: { 401: 'Not signed in.', 422: 'An invalid path.', 429: 'Too many runs.', 503: 'Not available, or busy.' },
    handler: async ({ body: { files, tests }, caller: userId, call }, { program, slots, perUser }) => {
      if (!program.isOn) throw new ApiError(503, 'no-tests', program.reason)
      const byPath = checkedFiles(files)
      const missing = tests.find((path) => !byPath.has(path))
      if (missing !== undefined)
        throw new ApiError(400, 'invalid-field', `Field "tests": ${missing} is not in "files".`, { field: 'tests' })
      perUser.require(userId)
      const slot = await slots.enter(userId, { signal: call.signal })
      try {
        const { outcomes, ...report } = await program.run(byPath, tests, call.signal)
        return { body: { ...report, outcomes: [...outcomes] } }
      } finally {
        slot.leave()
      }
    },
  }),
]

/** @throws ApiError 422 `INVALID_PATH` */
function checkedFiles(
  files: readonly { readonly path: string; readonly content: string }[],
): ReadonlyMap<string, string> {
  const byPath = new Map<string, string>()
  const tree = new ProjectTree()
  for (const { path, content } of files) {
    const problem = checkPath(path) ?? tree.addFile(path)
    if (problem !== undefined) throw invalidPath(problem)
    byPath.set(path, content)
  }
  return byPath
}

export interface TestRoutesOptions {
  readonly program: TestProgram
  readonly authenticate: Authenticate
  readonly limits?: TestRunLimits
}

export interface TestRuns {
  readonly routes: readonly Route<unknown>[]
  readonly guards: Guards
}

export function createTestRoutes({ program, authenticate, limits = testRunLimits }: TestRoutesOptions): TestRuns {
  const perClient = new SlidingWindow({ max: limits.perClient })
  // Each may send a large body.
  const accounts = new Slots({ what: 'test runs', max: 20, maxPerClient: 1 })
  const tests: Guard<string> = async ({ client, header }, run) => {
    perClient.require(clientNetwork(client.address))
    const token = bearerToken(header('Authorization'))
    if (token === undefined) throw new ApiError(401, 'not-signed-in', 'Sign in to run tests.')
    const { userId } = await authenticate(token)
    const slot = accounts.enterNow(userId)
    try {
      return await run(userId)
    } finally {
      slot.leave()
    }
  }
  const { atOnce, maxWaitMs } = limits
  const slots = new Slots({
    what: 'test runs',
    max: atOnce,
    maxPerClient: 1,
    maxWaiting: 20,
    maxWaitingPerClient: 1,
    maxWaitMs,
  })
  return {
    routes: bindRoutes(testRoutes, { program, slots, perUser: new SlidingWindow({ max: limits.perUser }) }),
    guards: { tests },
  }
}
