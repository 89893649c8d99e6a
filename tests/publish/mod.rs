mod audit;
mod crash;
mod fault;
mod retention;
mod standing;
mod target;
mod verify;
