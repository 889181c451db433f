import type { ReactNode } from 'react'
import { Link } from '../../kit/link.tsx'
import { paths } from '../paths.ts'
import { Picture } from './picture.tsx'
import { initialOf, sayName } from '../text.ts'

export interface TokenNameProps {
  readonly id: string
  readonly token: { readonly name: string; readonly symbol: string | null; readonly logo: string | null }
  /** What else is to be said of it. */
  readonly children?: ReactNode
}

/** A fungible token: its sign, its name, its symbol. */
export function TokenName({ id, token, children }: TokenNameProps): ReactNode {
  return (
    <span className="token-name">
      <Picture source={token.logo} alt="" size={22} of={id} letter={initialOf(token.symbol ?? token.name)} />
      <Link to={paths.token(id)} title={id}>
        {sayName(token.name)}
      </Link>
      {token.symbol !== null && token.symbol !== token.name && <span className="soft">{sayName(token.symbol)}</span>}
      {children}
    </span>
  )
}
