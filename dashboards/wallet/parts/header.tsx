import { useState } from 'react'
import type { ReactNode } from 'react'
import { Link } from '../../kit/link.tsx'
import { navigate, usePlace } from '../../kit/router.ts'
import { Brand } from '../../kit/brand.tsx'
import { Button } from '../../kit/button.tsx'
import { Icon } from '../../kit/icon.tsx'
import { ThemeToggle } from '../../kit/theme-toggle.tsx'
import { useToast } from '../../kit/toast.tsx'
import { useAuth } from '../../auth/auth-provider.tsx'
import type { SessionUser } from '../../auth/session-client.ts'
import { problemText } from '../../auth/problem.ts'

const parts = [
  { to: '/', name: 'Accounts' },
  { to: '/send', name: 'Send' },
  { to: '/activity', name: 'Activity' },
  { to: '/passkeys', name: 'Passkeys' },
  { to: '/account', name: 'You' },
] as const

/** The way to all parts of the wallet, and out of it. */
export function Header({ user }: { readonly user: SessionUser }): ReactNode {
  const { path } = usePlace()
  const { keeper } = useAuth()
  const [isLeaving, setIsLeaving] = useState(false)
  const say = useToast()
  const leave = async (): Promise<void> => {
    setIsLeaving(true)
    try {
      await keeper.signOut()
      navigate('/', { isReplacing: true })
    } catch (error) {
      say(`You are signed out here, but the service could not be told: ${problemText(error)}`, 'bad')
    }
  }
  return (
    <header className="top">
      <div className="top-inner">
        <Brand />
        <nav aria-label="Parts of the wallet">
          <ul>
            {parts.map(({ to, name }) => (
              <li key={to}>
                <Link to={to} aria-current={path === to ? 'page' : undefined}>
                  {name}
                </Link>
              </li>
            ))}
          </ul>
        </nav>
        <div className="top-end">
          <span className="who" title={user.email ?? undefined}>
            {user.email ?? 'Passkey only'}
          </span>
          <ThemeToggle />
          <Button
            look="plain"
            isIcon
            aria-label="Sign out"
            title="Sign out, in all tabs"
            disabled={isLeaving}
            onClick={() => void leave()}
          >
            <Icon name="leave" />
          </Button>
        </div>
      </div>
    </header>
  )
}
