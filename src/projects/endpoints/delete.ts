import { z } from 'zod'
import { query } from '../../db/pool.ts'
import { withRetriedTransaction } from '../../db/retried-transaction.ts'
import { projectError } from '../project-error.ts'
import { lockProject } from '../store/update-project.ts'
import type { SessionCall } from './endpoint.ts'
import { projectId, readData, version as versionSchema } from './read-data.ts'

const schema = z.strictObject({ id: projectId, version: versionSchema.optional() })

/** `/projects/delete`: the project and its files go. Copies that others have made stay. */
export async function deleteProject({
  userId,
  data,
  parts: { pool },
}: SessionCall): Promise<{ readonly deleted: true }> {
  const { id, version } = readData(schema, data)
  return await withRetriedTransaction(pool, async (client) => {
    const project = await lockProject(client, id, userId)
    if (version !== undefined && project.version !== version) {
      throw projectError(
        'CONFLICT',
        `The project has changed: it has version ${project.version}, not ${version}. Look at it before you delete it.`,
        {
          facts: {
            current: { version: project.version, updated_at: project.updated_at, name: project.name },
            yours: { version },
          },
        },
      )
    }
    await query(client, 'delete from projects.projects where id = $1', [id])
    return { deleted: true }
  })
}
