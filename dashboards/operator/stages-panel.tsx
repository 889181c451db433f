import type { ReactNode } from 'react'
import { Age } from '../kit/time.tsx'
import { Badge } from '../kit/controls.tsx'
import {
  formatCompact,
  formatCount,
  formatDuration,
  formatNumber,
  formatRange,
  formatRate,
  formatShare,
} from '../kit/formats.ts'
import { Cell, ColumnName, Row, RowName, Table, TableBody, TableHead } from '../kit/table.tsx'
import type { Stage } from './answers.gen.ts'
import { useView } from './use-view.ts'
import type { Section } from './view.ts'

interface StagesPanelProps {
  readonly stages: readonly Stage[]
  readonly rates: ReadonlyMap<string, readonly number[]>
}

export function StagesPanel({ stages, rates }: StagesPanelProps): ReactNode {
  const disabled = stages.filter((stage) => !stage.isEnabled).length
  return (
    <section className="panel" aria-labelledby="stages">
      <header>
        <h2 id="stages">Stages</h2>
        <span className="soft">
          {stages.length - disabled} enabled{disabled > 0 ? `, ${disabled} disabled` : ''}
        </span>
      </header>
      <div className="table-scroll stages-scroll">
        <Table className="stages" aria-labelledby="stages">
          <TableHead>
            <ColumnName>Stage</ColumnName>
            <ColumnName>Progress</ColumnName>
            <ColumnName className="number">Covered</ColumnName>
            <ColumnName className="number">Backlog</ColumnName>
            <ColumnName className="number">In flight</ColumnName>
            <ColumnName className="number">Rate / s</ColumnName>
            <ColumnName className="number">ETA</ColumnName>
            <ColumnName>Oldest unfinished</ColumnName>
            <ColumnName>Problems</ColumnName>
          </TableHead>
          <TableBody>
            {stages.map((stage) => (
              <StageRow key={stage.name} stage={stage} rates={rates.get(stage.name) ?? []} />
            ))}
          </TableBody>
        </Table>
      </div>
    </section>
  )
}

function StageRow({ stage, rates }: { readonly stage: Stage; readonly rates: readonly number[] }): ReactNode {
  const {
    name,
    description,
    kind,
    phase,
    follows,
    isEnabled,
    covered,
    available,
    backlog,
    active,
    skipped,
    failed,
    flagged,
    holes,
    blocked,
    own,
  } = stage
  const waiting = blocked?.heights ?? 0
  const place =
    own !== null
      ? `version ${own.version}${own.replaces === null ? '' : `, to replace ${own.replaces}`}`
      : kind === 'ingester'
        ? 'ingester'
        : `phase ${phase}${follows.length > 0 ? `, after ${follows.join(', ')}` : ''}`
  const holesText = holes > 0 ? `${formatCount(holes, 'hole')} between covered ranges` : undefined
  return (
    <Row className={isEnabled ? '' : 'off'}>
      <RowName className="stage-name" title={description}>
        <span>{name}</span>
        {!isEnabled && <Badge>disabled</Badge>}
        <span className="note" title={place}>
          {place}
        </span>
      </RowName>
      <Cell className="stage-progress">
        <ProgressBar
          label={`${name}: covered`}
          total={available + waiting}
          done={covered}
          active={active.heights}
          skipped={skipped.heights}
          failing={failed.heights + flagged.heights}
        />
        <span>{available + waiting === 0 ? '–' : formatShare(covered, available + waiting)}</span>
      </Cell>
      <Cell
        className="number"
        label="Covered"
        title={[`${formatNumber(covered)} of ${formatNumber(available)}`, holesText].filter(Boolean).join('; ')}
      >
        {formatCompact(covered)}
      </Cell>
      <Cell className="number" label="Backlog" title={formatNumber(backlog)}>
        {backlog === 0 ? <span className="soft">0</span> : formatCompact(backlog)}
      </Cell>
      <Cell
        className="number"
        label="In flight"
        title={
          `${formatCount(active.leases, 'range')} of ${formatCount(active.heights, 'height')}; ` +
          `${formatCount(stage.queued.leases, 'range')} queued`
        }
      >
        {active.leases === 0 ? <span className="soft">0</span> : formatNumber(active.leases)}
      </Cell>
      <Cell className="number rate" label="Rate / s">
        <Sparkline values={rates} />
        <span>{stage.rate === null ? '–' : formatRate(stage.rate)}</span>
      </Cell>
      <Cell className="number" label="ETA">
        {etaText(stage)}
      </Cell>
      <Cell className="oldest" label="Oldest unfinished">
        <Oldest stage={stage} />
      </Cell>
      <Cell className="trouble" label="Problems">
        <Problems stage={stage} />
      </Cell>
    </Row>
  )
}

function etaText({ backlog, available, etaSeconds, isEnabled, blocked }: Stage): ReactNode {
  if (blocked?.cause === 'failed') return <Badge tone="bad">stuck</Badge>
  if (blocked !== null) return <Badge tone="warn">behind by {formatCount(blocked.heights, 'block')}</Badge>
  if (available === 0) return '–'
  if (backlog === 0) return <span className="soft">up to date</span>
  return !isEnabled || etaSeconds === null ? '–' : formatDuration(etaSeconds)
}

function Oldest({ stage: { oldestUnfinished: oldest, blocked } }: { readonly stage: Stage }): ReactNode {
  if (blocked !== null)
    return (
      <span>
        waiting for {blocked.by}, {blocked.cause === 'failed' ? 'which failed' : 'for'} <Age since={blocked.since} />
      </span>
    )
  if (oldest === null) return <span className="soft">–</span>
  const attempts = oldest.attempt > 1 ? `, attempt ${oldest.attempt}` : ''
  return (
    <>
      <span className="nowrap">{formatRange(oldest)}</span>{' '}
      <span className="note">
        {oldest.status}
        {attempts}, <Age since={oldest.since} />
      </span>
    </>
  )
}

function Problems({ stage }: { readonly stage: Stage }): ReactNode {
  const [, change] = useView()
  const open = (section: Section): void => {
    change({ section, worker: stage.name, code: undefined })
    document.getElementById('attention')?.scrollIntoView({ block: 'start' })
  }
  const { flagged, failed, skipped, name, own } = stage
  const isUnloaded = own !== null && own.error !== null
  if (!isUnloaded && flagged.leases + failed.leases + skipped.leases === 0) return <span className="soft">none</span>
  return (
    <span className="badges">
      {isUnloaded && <Badge tone="bad">not loaded</Badge>}
      {flagged.leases > 0 && (
        <Badge tone="bad" label={`${flagged.leases} stuck ranges of ${name}: show`} onClick={() => open('flagged')}>
          {formatNumber(flagged.leases)} stuck
        </Badge>
      )}
      {failed.leases > 0 && (
        <Badge tone="warn" label={`${failed.leases} retrying ranges of ${name}: show`} onClick={() => open('failed')}>
          {formatNumber(failed.leases)} retrying
        </Badge>
      )}
      {skipped.leases > 0 && (
        <Badge label={`${skipped.leases} skipped ranges of ${name}: show`} onClick={() => open('skipped')}>
          {formatNumber(skipped.leases)} skipped
        </Badge>
      )}
    </span>
  )
}

interface ProgressBarProps {
  readonly label: string
  readonly total: number
  readonly done: number
  readonly active?: number
  readonly skipped?: number
  readonly failing?: number
}

function ProgressBar({ label, total, done, active = 0, skipped = 0, failing = 0 }: ProgressBarProps): ReactNode {
  const width = (part: number): { width: string } => ({
    width: `${total <= 0 ? 0 : Math.min(100, (part / total) * 100)}%`,
  })
  const percent = total <= 0 ? 0 : Math.min(100, Math.floor((done / total) * 1000) / 10)
  return (
    <div
      className="bar"
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={percent}
    >
      <i className="done" style={width(done)} />
      {skipped > 0 && <i className="skipped" style={width(skipped)} />}
      {failing > 0 && <i className="failing" style={width(failing)} />}
      {active > 0 && <i className="active" style={width(active)} />}
    </div>
  )
}

interface SparklineProps {
  readonly values: readonly number[]
  readonly width?: number
  readonly height?: number
}

function Sparkline({ values, width = 56, height = 18 }: SparklineProps): ReactNode {
  const top = Math.max(...values, 1e-9)
  const points = values.map((value, i) => {
    const x = values.length < 2 ? width : (i / (values.length - 1)) * width
    return `${x.toFixed(1)} ${(height - 1 - (value / top) * (height - 2)).toFixed(1)}`
  })
  const line = points.length < 2 || values.every((value) => value === 0) ? '' : `M${points.join('L')}`
  return (
    <svg className="sparkline" width={width} height={height} viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
      {line !== '' && <path className="area" d={`${line}L${width} ${height}L0 ${height}Z`} />}
      {line !== '' && <path d={line} />}
    </svg>
  )
}
