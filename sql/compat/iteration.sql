-- The highest iteration number of all applications that the original logs, whatever their run. It logs neither patterns that
-- were held back nor those shown beside a tool call.
-- Needs: application
-- Makes: compat_iteration (rows)
-- Grain: one row.
select max(iteration) as iteration
from application
where status = 'applied' or (status = 'injected' and tool is null)
