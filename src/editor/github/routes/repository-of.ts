import { z } from 'zod'
import { ApiError } from '../../../base/errors.ts'
import { ownerName, readId, repositoryName } from '../api/names.ts'
import type { GitHubParts } from '../github-parts.ts'
import type { Repository } from '../repository/repository-access.ts'

/** By what a repository is reached: the project that is connected with it, or an installation of one's own. */
export const reachedBy = {
  project_id: z.uuid('has to be the id of a project').optional(),
  installation_id: z.string().optional(),
}

/**
 * The repository that the path of a request names.
 * @throws ApiError 400 where neither a project nor an installation is given, 404 where the project's is another one; as RepositoryAccess
 */
export async function repositoryOf(
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
