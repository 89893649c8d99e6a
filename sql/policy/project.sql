-- The projects that runs, refused runs, gates, and decisions about policies belong to.
-- Needs: curation, gate, refused_adapter, run
-- Makes: policy_project (rows)
-- Grain: (project).
select project from run
union
select project from refused_adapter
union
select project from gate
union
select project from curation where pattern_id is null and target is not null
order by project asc nulls last
