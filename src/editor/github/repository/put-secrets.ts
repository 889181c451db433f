import sodium from 'libsodium-wrappers'
import { z } from 'zod'
import { ApiError } from '../../../base/errors.ts'
import type { GitHubCall } from '../api/github-client.ts'
import { readAnswer } from '../api/read-answer.ts'
import type { RepositoryName } from './read-repository.ts'

const publicKey = z.object({ key_id: z.string(), key: z.string() })

/**
 * Puts secrets into a repository, sealed for the key that GitHub gives for it: from here on nobody but its workflows can read them, we neither.
 * @param secrets values by name; nothing keeps or logs them
 */
export async function putSecrets(call: GitHubCall, { owner, repo }: RepositoryName, secrets: Readonly<Record<string, string>>): Promise<void> {
  const { key_id: keyId, key } = readAnswer(publicKey, await call('GET /repos/{owner}/{repo}/actions/secrets/public-key', { owner, repo }))
  for (const [name, value] of Object.entries(secrets)) {
    await call('PUT /repos/{owner}/{repo}/actions/secrets/{secret_name}', { owner, repo, secret_name: name, key_id: keyId, encrypted_value: await seal(value, key) })
  }
}

/** A sealed box (X25519, XSalsa20-Poly1305), base64. @param key the receiver's, base64 @throws ApiError 502 */
export async function seal(value: string, key: string): Promise<string> {
  await sodium.ready
  const bytes = Buffer.from(key, 'base64')
  if (bytes.length !== sodium.crypto_box_PUBLICKEYBYTES) throw new ApiError(502, 'github-answer', 'GitHub gave no key to seal secrets with.')
  return Buffer.from(sodium.crypto_box_seal(Buffer.from(value), bytes)).toString('base64')
}
