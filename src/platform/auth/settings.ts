import { optionalText, words } from '../setting.ts'
import type { Setting } from '../setting.ts'

const group = 'Operator'

export const operatorSettings = {
  ADMIN_TOKEN: optionalText({
    group,
    secret: true,
    description:
      'Token for the operator API and the admin routes of the API. Without it and ' +
      'without a JWT secret, the operator API accepts requests from this machine only and the admin ' +
      'routes are disabled.',
  }),
  ADMIN_JWT_SECRET: optionalText({
    group,
    secret: true,
    description: 'Secret that verifies the JWTs (HS256) of administrators. Default: AUTH_JWT_SECRET.',
  }),
  AUTH_JWT_SECRET: optionalText({
    group,
    secret: true,
    description: 'Secret that verifies the JWTs (HS256) of the authentication service.',
  }),
  ADMIN_ALLOWED_ROLES: words({
    group,
    default: ['platform_admin', 'ops_admin', 'admin'],
    description:
      'Roles that make the bearer of a JWT an administrator. One of the claims role, roles, ' +
      'app_metadata.role and app_metadata.roles must contain one.',
  }),
} satisfies Record<string, Setting<unknown>>
