import { z } from 'zod'

/** What browsers make of the answers of authenticators (`toJSON()`), as far as it is read here. Sizes are those of the largest that there can be. */

const base64Url = (most: number): z.ZodString =>
  z
    .string()
    .regex(/^[\w-]+$/, 'has to be base64url without padding')
    .max(most)

/** At least 16 bytes and at most 1023, as WebAuthn has it. */
export const credentialId = z.string().regex(/^[\w-]{22,1364}$/, 'has to be the id of a passkey, base64url')

const clientDataJson = base64Url(8192)

/** `RegistrationResponseJSON`. */
export const registrationResponse = z.object({
  id: credentialId,
  rawId: credentialId,
  type: z.literal('public-key'),
  response: z.object({
    clientDataJSON: clientDataJson,
    attestationObject: base64Url(16_384),
    transports: z
      .array(z.string().regex(/^[\w-]{1,32}$/))
      .max(16)
      .optional(),
  }),
  clientExtensionResults: z.object({ credProps: z.object({ rk: z.boolean().optional() }).optional() }).optional(),
})
export type RegistrationResponse = z.output<typeof registrationResponse>

/** `AuthenticationResponseJSON`. */
export const assertionResponse = z.object({
  id: credentialId,
  rawId: credentialId,
  type: z.literal('public-key'),
  response: z.object({
    clientDataJSON: clientDataJson,
    authenticatorData: base64Url(8192),
    signature: base64Url(1024),
    userHandle: base64Url(128).nullish(),
  }),
})
export type AssertionResponse = z.output<typeof assertionResponse>
