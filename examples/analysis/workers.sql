-- How busy each worker was: attempts, lost attempts, working seconds, and their share of the time between its first
-- assignment and its last end. A worker with several slots can have a share above 1.
select
  worker_id,
  count(*) as attempts,
  count(*) filter (where outcome not in ('complete', 'failed')) as lost,
  round(sum(date_diff('ms', assigned_at, ended_at)) / 1000, 1) as busy_seconds,
  round(
    sum(date_diff('ms', assigned_at, ended_at)) / greatest(date_diff('ms', min(assigned_at), max(ended_at)), 1), 3
  ) as share
from attempts
where ended_at is not null
group by worker_id
order by busy_seconds desc, worker_id
