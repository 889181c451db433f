import type { Router } from '@koa/router'
import { z } from 'zod'
import { allPages, readAnswer } from './api/github-client.ts'
import { branchName, filePath, folderPath, readId, refName, ownerName, repositoryName } from './api/names.ts'
import { addOwnRoute } from './own-route.ts'
import type { GitHubParts } from './own-route.ts'
import { readCommits, readFile, readRuns, readTree } from './api/read-repository.ts'
import type { Repository } from './repository-access.ts'
import { ApiError } from '../../platform/errors.ts'
import type { RequestContext, RequestState } from '../../platform/http/requests.ts'
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
  .regex(/^[A-Za-z0-9._-]{1,100}\.ya?ml$/, 'has to be the name of a workflow file, such as flow-deploy.yml')

/** What is read of repositories. */
export function addReadingRoutes(router: Router<RequestState>, parts: GitHubParts): void {
  const { access, github } = parts

  addOwnRoute(router, parts, {
    method: 'get',
    path: '/repos',
    schema: z.strictObject({ installation_id: z.string('is missing: say of which installation') }),
    run: async ({ userId, input }) => {
      const installation = await access.installationOf(userId, readId(input.installation_id, 'installation_id'))
      const call = await github.asInstallation(installation.installationId, { metadata: 'read' })
      const all = await allPages(
        call,
        'GET /installation/repositories',
        {},
        (data) => readAnswer(repositories, data).repositories,
        50,
      )
      // The App may see more of an organization than one of its members.
      const theirs = new Set(installation.repositoryIds)
      const isOwnAccount = installation.accountId === installation.githubUserId
      return {
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
      }
    },
  })

  addOwnRoute(router, parts, {
    method: 'get',
    path: '/tree/:owner/:repo',
    schema: z.strictObject({ ...reachedBy, path: folderPath.default(''), ref: refName.optional() }),
    run: async ({ context, userId, input }) => {
      const repository = await repositoryOf(parts, userId, context.params, input)
      return {
        files: await readTree(
          await access.open(repository, 'read', { contents: 'read' }),
          repository,
          input.path,
          input.ref,
        ),
      }
    },
  })

  addOwnRoute(router, parts, {
    method: 'get',
    path: '/file/:owner/:repo/*path',
    schema: z.strictObject({ ...reachedBy, ref: refName.optional() }),
    run: async ({ context, userId, input }) => {
      const { path } = parseBody(z.object({ path: filePath }), { path: restOfPath(context) })
      const repository = await repositoryOf(parts, userId, context.params, input)
      return readFile(await access.open(repository, 'read', { contents: 'read' }), repository, path, input.ref)
    },
  })

  addOwnRoute(router, parts, {
    method: 'get',
    path: '/runs/:owner/:repo',
    schema: z.strictObject({ ...reachedBy, workflow: workflowName.optional() }),
    run: async ({ context, userId, input }) => {
      const repository = await repositoryOf(parts, userId, context.params, input)
      return {
        runs: await readRuns(await access.open(repository, 'read', { actions: 'read' }), repository, input.workflow),
      }
    },
  })

  addOwnRoute(router, parts, {
    method: 'get',
    path: '/commits/:owner/:repo',
    schema: z.strictObject({
      ...reachedBy,
      branch: branchName.optional(),
      path: folderPath.optional(),
      per_page: z
        .string()
        .regex(/^(?:[1-9]\d?|100)$/, 'has to be 1 to 100')
        .default('30'),
    }),
    run: async ({ context, userId, input: { branch, path, per_page: perPage, ...reached } }) => {
      const repository = await repositoryOf(parts, userId, context.params, reached)
      return {
        commits: await readCommits(await access.open(repository, 'read', { contents: 'read' }), repository, {
          branch,
          path,
          perPage: Number(perPage),
        }),
      }
    },
  })
}

/** What stands behind owner and name, part by part: a router would give a nested path in one way or another. */
function restOfPath(context: RequestContext): string {
  try {
    return context.path.split('/').slice(5).map(decodeURIComponent).join('/')
  } catch (error) {
    throw new ApiError(400, 'invalid-parameter', 'The path is not encoded as an address is.', {
      field: 'path',
      cause: error,
    })
  }
}

/** By what a repository is reached: the project that is connected with it, or an installation of one's own. */
const reachedBy = {
  project_id: z.uuid('has to be the id of a project').optional(),
  installation_id: z.string().optional(),
}

/**
 * The repository that the path of a request names.
 * @throws ApiError 400 without a project or installation, 404 if the project has another one; as RepositoryAccess
 */
async function repositoryOf(
  { access }: GitHubParts,
  userId: string,
  params: Readonly<Record<string, string>>,
  query: { readonly project_id?: string | undefined; readonly installation_id?: string | undefined },
): Promise<Repository> {
  const [owner, repo] = [ownerName.safeParse(params['owner']), repositoryName.safeParse(params['repo'])]
  if (!owner.success || !repo.success)
    throw new ApiError(404, 'not-on-github', 'GitHub has no repository of such a name.')
  const { project_id: projectId, installation_id: installationId } = query
  if (projectId !== undefined) {
    const connected = await access.ofProject(userId, projectId)
    if (`${connected.owner}/${connected.repo}`.toLowerCase() !== `${owner.data}/${repo.data}`.toLowerCase())
      throw new ApiError(404, 'not-connected', 'This project is connected with another repository.')
    return connected
  }
  if (installationId === undefined)
    throw new ApiError(
      400,
      'invalid-parameter',
      'Parameter "project_id" or "installation_id" is missing: say by what the repository is reached.',
      { field: 'project_id' },
    )
  return access.ofInstallation(userId, readId(installationId, 'installation_id'), owner.data, repo.data)
}
