import sodium from 'libsodium-wrappers'
import { z } from 'zod'
import { readAnswer } from './github-client.ts'
import type { GitHubCall } from './github-client.ts'
import type { RepositoryName } from './read-repository.ts'
import { ApiError } from '../../../platform/errors.ts'

const publicKey = z.object({ key_id: z.string(), key: z.string() })

interface SecretsKey {
  readonly keyId: string
  /** X25519, base64. */
  readonly key: string
}

/** Only workflows of the repository can decrypt it. */
interface SealedSecret {
  readonly keyId: string
  readonly encryptedValue: string
}

/** Overhead of a sealed box: ephemeral public key (32) and authenticator (16). */
const sealBytes = 48

export const sealedKeyBytes = sealBytes + 64

export async function readSecretsKey(call: GitHubCall, { owner, repo }: RepositoryName): Promise<SecretsKey> {
  const { key_id: keyId, key } = readAnswer(
    publicKey,
    await call('GET /repos/{owner}/{repo}/actions/secrets/public-key', { owner, repo }),
  )
  return { keyId, key }
}

/**
 * @param own values of this service, sealed here and never stored or logged. @throws ApiError 409
 * `key-changed` if the client sealed with an outdated key
 */
export async function putSecrets(
  call: GitHubCall,
  { owner, repo }: RepositoryName,
  {
    sealed,
    own,
  }: { readonly sealed: Readonly<Record<string, SealedSecret>>; readonly own: Readonly<Record<string, string>> },
): Promise<void> {
  const { keyId, key } = await readSecretsKey(call, { owner, repo })
  if (Object.values(sealed).some((secret) => secret.keyId !== keyId)) {
    throw new ApiError(
      409,
      'key-changed',
      'Key not saved: it was sealed with an outdated repository key (key_id). Read GET ' +
        '/github/secrets/key again and seal it with the new one.',
      { field: 'key_id' },
    )
  }
  const encrypted = Object.entries(sealed).map(([name, { encryptedValue }]) => [name, encryptedValue] as const)
  for (const [name, value] of Object.entries(own)) encrypted.push([name, await seal(value, key)])
  for (const [name, encryptedValue] of encrypted) {
    await call('PUT /repos/{owner}/{repo}/actions/secrets/{secret_name}', {
      owner,
      repo,
      secret_name: name,
      key_id: keyId,
      encrypted_value: encryptedValue,
    })
  }
}

/** A sealed box (X25519, XSalsa20-Poly1305), base64. @throws ApiError 502 */
async function seal(value: string, key: string): Promise<string> {
  await sodium.ready
  const bytes = Buffer.from(key, 'base64')
  if (bytes.length !== sodium.crypto_box_PUBLICKEYBYTES)
    throw new ApiError(502, 'github-answer', 'GitHub returned an invalid public key for secrets.')
  return Buffer.from(sodium.crypto_box_seal(Buffer.from(value), bytes)).toString('base64')
}
