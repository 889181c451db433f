import { useId, useState } from 'react'
import type { ReactNode } from 'react'
import { Dialog, Modal } from '../../kit/dialog.tsx'
import { Link } from '../../kit/router.tsx'
import { EmptyState } from '../../kit/state.tsx'
import type { SavedQuery } from '../answers.gen.ts'
import { useSavedQueries } from '../api.ts'
import type { Parameter } from '../draft.ts'
import { ListState } from '../lists.tsx'
import { newTileId } from './edited-tiles.ts'
import type { Tile } from './edited-tiles.ts'

interface TileDialogProps {
  /** Undefined: a new one. */
  readonly tile: Tile | undefined
  readonly onSubmit: (tile: Tile) => void
  readonly onClose: () => void
}

export function TileDialog({ tile, onSubmit, onClose }: TileDialogProps): ReactNode {
  const queries = useSavedQueries()
  const title = tile === undefined ? 'Add tile' : 'Edit tile'
  if (queries.data === undefined || queries.data.length === 0)
    return (
      <Modal title={title} onClose={onClose}>
        {queries.data === undefined ? (
          <ListState list={queries} what="saved queries" />
        ) : (
          <EmptyState title="No saved queries yet">
            <Link to="/">Write SQL</Link>, choose Save, then return to this dashboard.
          </EmptyState>
        )}
      </Modal>
    )
  return <TileForm title={title} tile={tile} queries={queries.data} onSubmit={onSubmit} onClose={onClose} />
}

interface TileFormProps extends TileDialogProps {
  readonly title: string
  readonly queries: readonly SavedQuery[]
}

function TileForm({ title: heading, tile, queries, onSubmit, onClose }: TileFormProps): ReactNode {
  const [queryId, setQueryId] = useState(() => queries.find(({ id }) => id === tile?.query_id)?.id ?? '')
  const [title, setTitle] = useState(tile?.title ?? '')
  const [values, setValues] = useState<Readonly<Record<string, string>>>(() =>
    Object.fromEntries((tile?.parameters ?? []).map(({ name, value }) => [name, value])),
  )
  const [view, setView] = useState<Tile['view']>(tile?.view ?? 'table')
  const [width, setWidth] = useState(tile?.width ?? 1)
  const id = useId()
  const query = queries.find((each) => each.id === queryId)
  const submit = (): void => {
    if (query === undefined) return
    const parameters = query.parameters
      .map((standard) => ({ ...standard, value: values[standard.name] ?? '' }))
      .filter(({ value }) => value !== '')
    onSubmit({ id: tile?.id ?? newTileId(), query_id: query.id, title: title.trim(), parameters, view, width })
  }
  return (
    <Dialog title={heading} action={tile === undefined ? 'Add' : 'Apply'} onSubmit={submit} onClose={onClose}>
      <div className="field">
        <label htmlFor={`${id}-query`}>Saved query</label>
        <select
          id={`${id}-query`}
          className="input full"
          required
          value={queryId}
          onChange={(event) => setQueryId(event.target.value)}
        >
          <option value="">Choose a query</option>
          {queries.map((each) => (
            <option key={each.id} value={each.id}>
              {each.name}
            </option>
          ))}
        </select>
      </div>
      <div className="field">
        <label htmlFor={`${id}-title`}>Title</label>
        <input
          id={`${id}-title`}
          className="input"
          maxLength={100}
          placeholder={query?.name ?? 'Name of the query'}
          value={title}
          onChange={(event) => setTitle(event.target.value)}
        />
      </div>
      {query?.parameters.map((parameter) => (
        <ParameterField
          key={parameter.name}
          parameter={parameter}
          value={values[parameter.name] ?? ''}
          onChange={(value) => setValues({ ...values, [parameter.name]: value })}
        />
      ))}
      <div className="button-row">
        <div className="field">
          <label htmlFor={`${id}-view`}>View</label>
          <select
            id={`${id}-view`}
            className="input"
            value={view}
            onChange={(event) => setView(event.target.value === 'chart' ? 'chart' : 'table')}
          >
            <option value="table">Table</option>
            <option value="chart">Chart</option>
          </select>
        </div>
        <div className="field">
          <label htmlFor={`${id}-width`}>Width</label>
          <select
            id={`${id}-width`}
            className="input"
            value={width}
            onChange={(event) => setWidth(Number(event.target.value))}
          >
            <option value={1}>1 column</option>
            <option value={2}>2 columns</option>
            <option value={3}>3 columns</option>
          </select>
        </div>
      </div>
    </Dialog>
  )
}

interface ParameterFieldProps {
  readonly parameter: Parameter
  readonly value: string
  readonly onChange: (value: string) => void
}

function ParameterField({
  parameter: { name, type, value: standard },
  value,
  onChange,
}: ParameterFieldProps): ReactNode {
  const id = useId()
  const isRequired = standard === '' && type !== 'text'
  return (
    <div className="field">
      <label htmlFor={id}>{name}</label>
      <input
        id={id}
        className="input"
        type={type === 'date' ? 'date' : 'text'}
        inputMode={type === 'number' ? 'decimal' : undefined}
        pattern={type === 'number' ? String.raw`[+\-]?\d{1,40}(\.\d{1,40})?` : undefined}
        title={type === 'number' ? 'A number such as 12.5' : undefined}
        required={isRequired}
        maxLength={1000}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
      {standard !== '' && <span className="note wrap">If empty: {standard}</span>}
    </div>
  )
}
