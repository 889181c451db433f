import { z } from 'zod'
import { allPages, readAnswer } from './api/github-client.ts'
import { branchName, filePath, folderPath, readId, refName, ownerName, repositoryName } from './api/names.ts'
import { projectId, route } from './github-route.ts'
import type { GitHubParts } from './github-route.ts'
import {
  commitSchema,
  fileSchema,
  readCommits,
  readFile,
  readRuns,
  readTree,
  treeEntry,
  workflowRun,
} from './api/read-repository.ts'
import type { Repository } from './repository-access.ts'
import { ApiError } from '../../platform/errors.ts'
import type { Route } from '../../platform/http/route.ts'
import { parseBody } from '../../platform/http/parse-input.ts'

const repositories = z.object({
  repositories: z.array(
    z.object({
      id: z.number(),
      full_name: z.string(),
      name: z.string(),
      owner: z.object({ id: z.number(), login: z.string() }),
      default_branch: z.string(),
      private: z.boolean(),
    }),
  ),
})
const workflowName = z
  .string()
  .regex(/^[A-Za-z0-9._-]{1,100}\.ya?ml$/, 'must be the name of a workflow file, such as flow-deploy.yml')

const repositoriesSchema = z.strictObject({
  repos: z.array(
    z
      .strictObject({
        id: z.int(),
        full_name: z.string(),
        owner: z.string(),
        name: z.string(),
        default_branch: z.string(),
        private: z.boolean(),
      })
      .meta({ id: 'Repository' }),
  ),
})

const reachedBy = { project_id: projectId.optional(), installation_id: z.string().optional() }
const repositoryParams = z.object({ owner: z.string(), repo: z.string() })

export const readRoutes: readonly Route<GitHubParts>[] = [
  route({
    path: '/github/repos',
    operationId: 'listRepositories',
    tag: 'Repositories',
    summary: 'Repositories of an installation',
    access: 'user',
    response: repositoriesSchema,
    query: z.object({ installation_id: z.string('is required') }),
    handler: async ({ caller: userId, query: input }, { access, github }) => {
      const installation = await access.installationOf(userId, readId(input.installation_id, 'installation_id'))
      const call = await github.asInstallation(installation.installationId, { metadata: 'read' })
      const all = await allPages(
        call,
        'GET /installation/repositories',
        {},
        (data) => readAnswer(repositories, data).repositories,
        50,
      )
      // The App may see more of an organization than the user does.
      const theirs = new Set(installation.repositoryIds)
      const isOwnAccount = installation.accountId === installation.githubUserId
      return {
        body: {
          repos: all
            .filter(({ id, private: isPrivate }) => isOwnAccount || !isPrivate || theirs.has(id))
            .map(({ id, full_name: fullName, name, owner, default_branch: branch, private: isPrivate }) => ({
              id,
              full_name: fullName,
              owner: owner.login,
              name,
              default_branch: branch,
              private: isPrivate,
            })),
        },
      }
    },
  }),
  route({
    path: '/github/tree/{owner}/{repo}',
    operationId: 'readTree',
    tag: 'Repositories',
    summary: 'A folder of a repository',
    access: 'user',
    params: repositoryParams,
    response: z.strictObject({ files: z.array(treeEntry) }),
    query: z.object({ ...reachedBy, path: folderPath.default(''), ref: refName.optional() }),
    handler: async ({ params, caller: userId, query: input }, services) => {
      const repository = await repositoryOf(services, userId, params, input)
      return {
        body: {
          files: await readTree(
            await services.access.open(repository, 'read', { contents: 'read' }),
            repository,
            input.path,
            input.ref,
          ),
        },
      }
    },
  }),
  route({
    path: '/github/file/{owner}/{repo}/{path*}',
    operationId: 'readFile',
    tag: 'Repositories',
    summary: 'A text file of a repository',
    access: 'user',
    params: repositoryParams.extend({ path: z.string() }),
    response: fileSchema,
    query: z.object({ ...reachedBy, ref: refName.optional() }),
    handler: async ({ params, call, caller: userId, query: input }, services) => {
      const { path } = parseBody(z.object({ path: filePath }), { path: restOfPath(call.path) })
      const repository = await repositoryOf(services, userId, params, input)
      return {
        body: await readFile(
          await services.access.open(repository, 'read', { contents: 'read' }),
          repository,
          path,
          input.ref,
        ),
      }
    },
  }),
  route({
    path: '/github/runs/{owner}/{repo}',
    operationId: 'listRuns',
    tag: 'Repositories',
    summary: 'The latest runs of a workflow',
    access: 'user',
    params: repositoryParams,
    response: z.strictObject({ runs: z.array(workflowRun) }),
    query: z.object({ ...reachedBy, workflow: workflowName.optional() }),
    handler: async ({ params, caller: userId, query: input }, services) => {
      const repository = await repositoryOf(services, userId, params, input)
      return {
        body: {
          runs: await readRuns(
            await services.access.open(repository, 'read', { actions: 'read' }),
            repository,
            input.workflow,
          ),
        },
      }
    },
  }),
  route({
    path: '/github/commits/{owner}/{repo}',
    operationId: 'listCommits',
    tag: 'Repositories',
    summary: 'The latest commits of a branch',
    access: 'user',
    params: repositoryParams,
    response: z.strictObject({ commits: z.array(commitSchema) }),
    query: z.object({
      ...reachedBy,
      branch: branchName.optional(),
      path: folderPath.optional(),
      per_page: z
        .string()
        .regex(/^(?:[1-9]\d?|100)$/, 'must be 1 to 100')
        .default('30'),
    }),
    handler: async ({ params, caller: userId, query: { branch, path, per_page: perPage, ...reached } }, services) => {
      const repository = await repositoryOf(services, userId, params, reached)
      return {
        body: {
          commits: await readCommits(await services.access.open(repository, 'read', { contents: 'read' }), repository, {
            branch,
            path,
            perPage: Number(perPage),
          }),
        },
      }
    },
  }),
]

/** An encoded slash is not a separator. */
function restOfPath(path: string): string {
  try {
    return path.split('/').slice(5).map(decodeURIComponent).join('/')
  } catch (error) {
    throw new ApiError(400, 'invalid-parameter', 'Parameter "path" is not valid percent-encoding.', {
      field: 'path',
      cause: error,
    })
  }
}

/** @throws ApiError 400 without a project or installation, 404 if the project has another one */
async function repositoryOf(
  { access }: GitHubParts,
  userId: string,
  params: z.output<typeof repositoryParams>,
  query: { readonly project_id?: string | undefined; readonly installation_id?: string | undefined },
): Promise<Repository> {
  const [owner, repo] = [ownerName.safeParse(params.owner), repositoryName.safeParse(params.repo)]
  if (!owner.success || !repo.success) throw new ApiError(404, 'not-on-github', 'Repository not found on GitHub.')
  const { project_id: projectId, installation_id: installationId } = query
  if (projectId !== undefined) {
    const connected = await access.ofProject(userId, projectId)
    if (`${connected.owner}/${connected.repo}`.toLowerCase() !== `${owner.data}/${repo.data}`.toLowerCase())
      throw new ApiError(404, 'not-connected', 'The project is connected with another repository.')
    return connected
  }
  if (installationId === undefined)
    throw new ApiError(400, 'invalid-parameter', 'Parameter "project_id" or "installation_id" is required.', {
      field: 'project_id',
    })
  return access.ofInstallation(userId, readId(installationId, 'installation_id'), owner.data, repo.data)
}
