import type { AuthUser } from '../auth-sessions.ts'
import type { UserRow } from './user-row.ts'

/** What the operator says of a user, with the providers by which they sign in, as GoTrue has it. */
export function metadataOf({ appMetadata, identities }: UserRow): Readonly<Record<string, unknown>> {
  const providers = [...new Set(identities.map(({ provider }) => provider))]
  return { ...appMetadata, ...(providers.length === 0 ? {} : { provider: providers[0], providers }) }
}

/**
 * A user as GoTrue shows one.
 * @param newEmail the address that waits to be shown to be theirs
 */
export function presentUser(user: UserRow, newEmail?: string): Record<string, unknown> {
  return {
    id: user.id,
    aud: 'authenticated',
    role: 'authenticated',
    email: user.email ?? '',
    phone: '',
    ...(newEmail === undefined ? {} : { new_email: newEmail }),
    email_confirmed_at: user.emailConfirmedAt,
    confirmed_at: user.emailConfirmedAt,
    last_sign_in_at: user.lastSignInAt,
    app_metadata: metadataOf(user),
    user_metadata: user.userMetadata,
    identities: user.identities.map(
      ({ id, provider, providerId, identityData, lastSignInAt, createdAt, updatedAt }) => ({
        identity_id: id,
        id: providerId,
        user_id: user.id,
        identity_data: identityData,
        provider,
        last_sign_in_at: lastSignInAt,
        created_at: createdAt,
        updated_at: updatedAt,
        email: identityData['email'],
      }),
    ),
    created_at: user.createdAt,
    updated_at: user.updatedAt,
    is_anonymous: false,
  }
}

export function asAuthUser(user: UserRow): AuthUser {
  return {
    id: user.id,
    email: user.email ?? undefined,
    isEmailConfirmed: user.emailConfirmedAt !== null,
    appMetadata: metadataOf(user),
    userMetadata: user.userMetadata,
  }
}
