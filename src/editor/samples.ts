import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import { asError, FatalError } from '../platform/errors.ts'
import type { EditorConfig } from './settings.ts'

export const samplesSchema = z.array(
  z.object({ name: z.string(), title: z.string(), code: z.string(), arguments: z.array(z.unknown()).readonly() }),
)

/** @throws FatalError that names the variable */
export async function readSamples({ EDITOR_SAMPLES: file }: EditorConfig): Promise<z.infer<typeof samplesSchema>> {
  if (file === undefined) return []
  try {
    return samplesSchema.parse(JSON.parse(await readFile(file, 'utf8')))
  } catch (error) {
    throw new FatalError(
      'bad-editor-settings',
      `EDITOR_SAMPLES: ${file} is not a JSON list of {name, title, code, arguments}: ${asError(error).message}.`,
      { details: { variable: 'EDITOR_SAMPLES' } },
    )
  }
}
